"""Every command beneath train, one after the other, as a person would type them, on a handful of clips."""

import json
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from trainer.cli import main

CONFIG = """\
paths: {data_root: data, manifest_path: manifest.tsv, splits_dir: splits, output_dir: outputs}
audio: {num_mel_bins: 20}
model: {type: hybrid, max_label_length: 40, random: {hidden: 16, heads: 2, layers: 1, ffn: 16, conv_channels: 4}}
training:
  batch_size: 2
  learning_rate: 1e-3
  max_steps: 4
  eval_steps: 2
  save_steps: 2
  logging_steps: 1
  generation_max_length: 8
dataloader: {num_workers: 0}
output: {dir: outputs/tiny}
"""
REASON = ("--skip-preflight", "the clips are noise")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Six videos of three clips, and two rows that the cleaning removes."""
    root = tmp_path_factory.mktemp("user")
    (root / "data" / "wavs").mkdir(parents=True)
    (root / "tiny.yaml").write_text(CONFIG, encoding="utf-8")
    chance = np.random.default_rng(0)
    rows = ["audio_path\ttranscript\ttranslation\tduration\tvideo_id"]
    for number in range(18):
        name, seconds = f"wavs/{number}.wav", 0.6 + 0.1 * (number % 4)
        soundfile.write(root / "data" / name, chance.normal(0, 0.1, int(16000 * seconds)), 16000)
        rows.append(f"{name}\t[cười] xin  chào {number}\t**hello** {number}\t{seconds:.1f}\tvideo{number % 6}")
    rows += ["wavs/gone.wav\ta\tb\t1.0\tvideo1", "wavs/1.wav\t[cười]\tb\t0.7\tvideo1"]
    (root / "data" / "manifest.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def there(place, monkeypatch):
    monkeypatch.chdir(place)


def run(*args, code=0):
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == code, f"{result.stdout}\n{result.stderr}"
    return result


@pytest.fixture(scope="module")
def prepared(place):
    with chdir(place):
        return run("prepare", "--config", "tiny.yaml")


@pytest.fixture(scope="module")
def divided(place, prepared):
    with chdir(place):
        return run("split", "--config", "tiny.yaml")


@pytest.fixture(scope="module")
def trained(place, divided):
    with chdir(place):
        return run("--config", "tiny.yaml", *REASON)


def test_prepare(prepared):
    assert "20 rows in, 18 out" in prepared.stdout
    assert "data/manifest_clean.tsv" in prepared.stdout
    clean = Path("data/manifest_clean.tsv").read_text(encoding="utf-8")
    assert "xin chào 3\thello 3" in clean
    explicit = run("prepare", "--input", "data/manifest.tsv", "--output", "other/clean.tsv", "--data_root", "data")
    assert "20 rows in, 18 out" in explicit.stdout
    assert Path("other/clean.tsv").read_text(encoding="utf-8") == clean


def test_split(divided):
    assert "data/splits/train.csv" in divided.stdout
    run("split", "--input", "data/manifest_clean.tsv", "--output", "other/splits")
    for name in ("train", "dev", "test"):
        assert Path(f"data/splits/{name}.csv").read_text() == Path(f"other/splits/{name}.csv").read_text()


def test_train_says_where_the_model_is_and_goes_on_when_asked(trained):
    assert trained.stdout.startswith("trained 4 steps, loss ")
    assert trained.stdout.splitlines()[0].endswith("the model is in outputs/tiny")
    assert "preflight: skipped: the clips are noise" in trained.stderr
    log = Path("outputs/tiny/logs/train.log").read_text(encoding="utf-8")
    assert "preflight: skipped: the clips are noise" in log
    again = run("--config", "tiny.yaml", "--set", "training.max_steps=6", "--resume", "auto", *REASON)
    assert again.stdout.startswith("trained 6 steps")
    assert "resuming from outputs/tiny/checkpoint-4" in again.stderr
    assert "max_steps: 6" in Path("outputs/tiny/config.resolved.yaml").read_text(encoding="utf-8")


def test_quiet_training_says_only_where_the_model_is(divided):
    short = run(
        "-q", "--config", "tiny.yaml", "--set", "output.dir=outputs/short", "--epochs", "1", "--subset", "2", *REASON
    )
    assert short.stdout.startswith("trained 1 steps")
    assert short.stderr == ""


def test_evaluate_by_configuration_and_by_folder(trained):
    by_config = run("evaluate", "--config", "tiny.yaml", "--subset", "2")
    assert "WER" in by_config.stdout and "< 15" in by_config.stdout
    figures = json.loads(Path("outputs/results/tiny_metrics.json").read_text(encoding="utf-8"))
    run(
        "evaluate", "--model_dir", "outputs/tiny", "--model_type", "hybrid", "--subset", "2",
        "--test_csv", "data/splits/test.csv", "--output", "other/results",
    )  # fmt: skip
    again = json.loads(Path("other/results/tiny_metrics.json").read_text(encoding="utf-8"))
    assert figures["wer"] == again["wer"]
    wrong = run("evaluate", "--model-dir", "outputs/tiny", "--model-type", "whisper", code=2)
    assert "outputs/tiny: contains a model of type hybrid, but --model-type is whisper" in wrong.stderr


def test_charts(trained):
    run("evaluate", "--config", "tiny.yaml", "--subset", "1")
    drawn = run("charts", "outputs/tiny").stdout.splitlines()
    names = ("training_loss", "learning_rate", "gradient_norm", "wer_comparison", "bleu_comparison")
    assert {f"outputs/charts/{name}.png" for name in names} <= set(drawn)
    assert all(Path(path).stat().st_size > 5000 for path in drawn)


@pytest.mark.slow
def test_pipeline_goes_the_whole_way(place):
    done = run(
        "pipeline",
        "--config",
        "tiny.yaml",
        "--set",
        "output.dir=outputs/whole",
        "--set",
        "training.max_steps=2",
        *REASON,
    )
    assert "outputs/whole" in done.stdout.splitlines()
    assert "outputs/charts/training_loss.png" in done.stdout.splitlines()
    assert Path("outputs/results/whole_predictions.csv").exists()


def test_a_run_that_cannot_learn_is_refused_and_leaves_nothing_but_the_report(divided):
    Path("data/broken").mkdir()
    for name in ("train", "dev"):
        rows = Path(f"data/splits/{name}.csv").read_text(encoding="utf-8").splitlines()
        Path(f"data/broken/{name}.csv").write_text(
            "\n".join([*rows, rows[1].replace("wavs/", "wavs/no")]), encoding="utf-8"
        )
    sets = ("--set", "data.manifest_dir=broken", "--set", "output.dir=outputs/refused")
    refused = run("--config", "tiny.yaml", *sets, code=1)
    assert refused.stdout == ""
    assert "the run does not start" in refused.stderr
    assert [path.name for path in Path("outputs/refused").iterdir()] == ["preflight"]


def test_many_processes_take_a_receipt_and_nothing_else(divided, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    refused = run("--config", "tiny.yaml", "--set", "output.dir=outputs/many", code=2)
    assert "with several processes, run diagnose preflight --config tiny.yaml first" in refused.stderr
    assert not Path("outputs/many").exists()
