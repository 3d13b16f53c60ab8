"""The train command as a user meets it: help, configuration, dry run, and what each mistake is told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from diagnose.version import __version__
from trainer.cli import main

HEAVY = ("torch", "transformers", "accelerate", "polars", "matplotlib", "soundfile", "pydantic")
TINY = """\
paths: {splits_dir: splits}
model: {type: hybrid, random: {hidden: 8, heads: 2}}
training: {batch_size: 2, gradient_accumulation_steps: 2, epochs: 3}
"""
ROW = "clip.wav,xin chào,hello,1800\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(TINY, encoding="utf-8")
    return tmp_path


def run(*args):
    return CliRunner().invoke(main, list(args))


def split(name, rows, header="audio_path,transcript,translation,duration\n"):
    Path("splits").mkdir(exist_ok=True)
    Path("splits", f"{name}.csv").write_text(header + ROW * rows, encoding="utf-8")


def commands():
    return sorted(main.commands)


@pytest.mark.parametrize("args", [["--help"], ["--version"], *([name, "--help"] for name in commands())], ids=str)
def test_help_imports_nothing_heavy(args):
    code = "import sys; from trainer.cli import main\ntry: main(sys.argv[1:])\nfinally: print(sorted(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    loaded = result.stdout.splitlines()[-1]
    assert not [name for name in HEAVY if f"'{name}'" in loaded]


def test_help_teaches():
    said = run("--help").stdout
    assert "Examples:" in said
    assert all(name in said for name in ("prepare", "split", "evaluate", "charts", "pipeline", "demo"))
    for name in commands():
        assert "Example" in run(name, "--help").stdout, name


def test_version_is_an_answer():
    assert run("--version").stdout == f"gonogo {__version__}\n"


def test_print_config_is_yaml_in_which_every_value_has_its_place():
    result = run("--config", "tiny.yaml", "--print-config", "--set", "training.seed=7")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = {line.split(":")[0].strip(): line for line in result.stdout.splitlines()}
    assert lines["seed"].endswith("# --set")
    assert lines["batch_size"].endswith("# tiny.yaml:3")
    assert lines["sample_rate"].endswith("# default")
    values = [line for line in result.stdout.splitlines() if not line.endswith(":")]
    assert all("  # " in line for line in values)
    assert yaml.safe_load(result.stdout)["training"]["num_train_epochs"] == 3.0


@pytest.mark.parametrize("spelling", ["--dry-run", "--dry_run"])
def test_a_dry_run_says_the_plan(spelling):
    split("train", 10)
    split("dev", 1)
    said = run("--config", "tiny.yaml", spelling).stdout
    assert "train data:    splits/train.csv, 10 rows, 5.0 hours" in said
    assert "test data:     splits/test.csv does not exist yet" in said
    assert "batch:         8 (2 rows x 2 accumulated x 2 tasks)" in said
    assert "updates:       9" in said  # 5 batches are 3 updates, 3 epochs


def test_a_dry_run_says_what_an_earlier_run_left():
    Path("training/outputs/tiny/checkpoint-20").mkdir(parents=True)
    said = run("--config", "tiny.yaml", "--dry-run").stdout
    assert "output:        training/outputs/tiny (contains checkpoint-20; without --resume it is moved away)" in said


def test_epochs_and_subset_change_the_plan():
    split("train", 10)
    said = run("--config", "tiny.yaml", "--dry-run", "--epochs", "1", "--subset", "4").stdout
    assert "splits/train.csv, 4 rows, 2.0 hours" in said
    assert "updates:       1" in said
    limited = run("--config", "tiny.yaml", "--dry-run", "--set", "training.max_steps=5").stdout
    assert "updates:       5" in limited


def test_a_dry_run_without_data_says_the_plan_and_ends_with_2():
    result = run("--config", "tiny.yaml", "--dry-run")
    assert result.exit_code == 2
    assert "updates:       unknown without training data" in result.stdout
    missing = "error: splits/train.csv: there is no train set; run `train split`, or correct paths.splits_dir\n"
    assert result.stderr == missing
    split("train", 10)
    assert "splits/dev.csv: there is no dev set" in run("--config", "tiny.yaml", "--dry-run").stderr
    split("dev", 2)
    assert run("--config", "tiny.yaml", "--dry-run").exit_code == 0


def test_a_subset_may_be_another_for_training_and_evaluation():
    split("train", 10)
    split("dev", 5)
    said = run("--config", "tiny.yaml", "--dry-run", "--subset", "8,2").stdout
    assert "splits/train.csv, 8 rows" in said and "splits/dev.csv, 2 rows" in said


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--skip-preflight", "no need")])
def test_a_checkpoint_that_is_not_there_is_refused_first(more):
    result = run("--config", "tiny.yaml", "--resume", "nowhere", *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: --resume nowhere: it does not exist; pass a complete checkpoint, or use --resume auto\n"
    )
    assert [path.name for path in Path().iterdir()] == ["tiny.yaml"]


def test_a_dry_run_of_a_hub_model_needs_no_network(monkeypatch):
    import socket

    split("train", 2)
    split("dev", 2)

    def refuse(*args, **settings):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    result = run(
        "--config", "dev_whisper", "--dry-run", "--set", "paths.splits_dir=splits", "--set", "paths.data_root=."
    )
    assert result.exit_code == 0, result.stderr
    assert "weights openai/whisper-tiny (hub)" in result.stdout


MISTAKES = {
    ("--dry-run",): "error: nothing to train; pass a configuration with --config FILE, or try train demo (see ",
    ("--config", "gone.yaml"): "error: gone.yaml does not exist; check the path of the configuration",
    ("--config", "demo_hybird"): "error: there is no shipped configuration demo_hybird; did you mean demo_hybrid?",
    ("--config", "."): "error: . is a directory; pass a YAML file in it",
    ("--config", "tiny.yaml", "--set", "training.sed=1"): "error: --set: training.sed is not a known key; did you mean "
    "training.seed?",
    (
        "--config",
        "tiny.yaml",
        "--subset",
        "0",
    ): "error: Invalid value for '--subset': 0 is not in the range x>=1. (see ",
    (
        "--config",
        "tiny.yaml",
        "--epochs",
        "0",
    ): "error: Invalid value for '--epochs': 0.0 is not in the range x>0. (see ",
    ("--config", "tiny.yaml", "--subset", "5,0"): "error: Invalid value for '--subset': 0 is not in the range x>=1. ",
    (
        "--config",
        "tiny.yaml",
        "--subset",
        "5,x",
    ): "error: Invalid value for '--subset': 'x' is not a valid integer range",
    (
        "--config",
        "tiny.yaml",
        "--subset",
        "5,4,3",
    ): "error: Invalid value for '--subset': 5,4,3 has 3 numbers; give N, ",
    ("--config", "tiny.yaml", "--skip-preflight", " "): "error: --skip-preflight needs a reason",
    ("--confg", "tiny.yaml"): "error: No such option '--confg'. (Did you mean one of: '--config', ",
    ("--config", "tiny.yaml", "split"): "error: options of split come after its name (see ",
    (
        "prepare",
    ): "error: nothing to prepare; pass a manifest with --input FILE, or a configuration with --config (see ",
    ("split",): "error: pass --input FILE and --output FOLDER, or a configuration with --config (see ",
    ("evaluate",): "error: nothing to evaluate; pass a model with --model-dir FOLDER, or a run with --config (see ",
    ("evaluate", "--model_dir", "gone"): "error: gone: no such folder; ",
    ("charts",): "error: Missing argument 'RUNS...'. (see ",
    ("charts", "gone"): "error: gone: no loss in metrics/*_metrics.json or trainer_state.json; ",
    ("pipeline",): "error: nothing to run; pass at least one configuration with --config FILE (see ",
    ("demo", "--model", "gpt"): "error: Invalid value for '--model': 'gpt' is not one of ",
    ("prepare", "--input", "gone.tsv", "--output", "x.tsv"): "error: gone.tsv",
    ("demoo",): "error: No such command 'demoo'. Did you mean 'demo'? (see ",
    ("--config", "tiny.yaml", "--dry-run", "--set", "model={type: whisper, random: null, name: ./no}"): "error: "
    "model.name: there is no directory ./no; use an existing one or a hub name such as owner/model",
}


@pytest.mark.parametrize(("args", "said"), MISTAKES.items(), ids=str)
def test_a_mistake_gets_one_line_and_code_2(args, said):
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


def test_a_broken_split_ends_the_dry_run():
    split("train", 2, header="sound,transcript,translation,duration\n")
    result = run("--config", "tiny.yaml", "--dry-run")
    assert result.exit_code == 2
    assert "splits/train.csv, line 1: no column 'audio_path'" in result.stderr


def installed(*args):
    """The command as it is installed, without network."""
    command = [str(Path(sys.executable).with_name("train")), *args]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(Path.cwd())}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


def test_the_installed_command_is_ours():
    result = installed("--config", "gone.yaml")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: gone.yaml does not exist; check the path of the configuration\n"


def test_training_without_data_is_refused_in_one_sentence():
    result = run("--config", "tiny.yaml")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: splits/train.csv: there is no train set; run `train split`, or correct paths.splits_dir\n"
    )


@pytest.mark.slow
def test_weights_that_cannot_be_had_are_one_sentence():
    split("train", 2)
    split("dev", 2)
    result = installed("--config", "dev_whisper", "--set", "paths.splits_dir=splits")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(
        "error: model.name: openai/whisper-tiny is not a directory and not in the cache, and"
    )
    assert not Path("training").exists()
