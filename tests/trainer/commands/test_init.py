"""train init, as a person types it: every kind of manifest, every refusal, and the way from a CSV to a model."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.own_clips import SENTENCES, make_clips, write_csv
from trainer.cli import main
from trainer.config import load
from trainer.data.manifest import read_rows

COUNT = 12


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return folder, make_clips(folder, COUNT)


@pytest.fixture
def place(clips, tmp_path, monkeypatch):
    """A folder with clips and no manifest."""
    shutil.copytree(clips[0] / "clips", tmp_path / "clips")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rows(clips):
    return clips[1]


def run(*args, code=0):
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == code, f"{result.stdout}\n{result.stderr}"
    return result


def init(*args):
    """The lines that are printed, after what was written was found to load and to dry-run."""
    out = run("init", *args).stdout
    config = next(word for word in out.split() if word.endswith("config.yaml"))
    assert "hybrid" in run("--config", config, "--dry-run").stdout or "hybrid" not in out
    return out


def files():
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


def lines_of(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def test_a_csv_of_path_and_sentence_is_all_that_is_needed(place, rows):
    write_csv(place / "data.csv", ("path", "sentence"), rows)
    out = init()
    config = load("config.yaml").config
    assert (config.model.type, config.model.task, config.data.columns.audio) == ("hybrid", "transcribe", "path")
    assert "transcript = 'sentence' (guessed" in out and "split by row" in out and "diagnose preflight --config" in out
    parts = {name: read_rows(config.splits / f"{name}.csv") for name in ("train", "dev", "test")}
    assert sorted(row["transcript"] for part in parts.values() for row in part) == sorted(SENTENCES[:COUNT])
    assert all(1 < float(row["duration"]) < 3 for part in parts.values() for row in part)
    assert not config.training.fp16 and config.training.save_steps % config.training.eval_steps == 0
    assert config.audio.max_length_seconds == 3 and config.training.batch_size == 8


def test_the_splits_of_init_are_those_of_train_split(place, rows):
    write_csv(
        place / "data.csv", ("path", "sentence", "client_id"), [(*row, f"s{i % 5}") for i, row in enumerate(rows)]
    )
    assert "split by 'client_id'" in init()
    before = {path: Path(path).read_text() for path in files() if path.startswith("splits/")}
    run("prepare", "--config", "config.yaml")
    run("split", "--config", "config.yaml")
    for name, text in before.items():
        ours = [row["audio_path"] for row in read_rows(name)]
        Path("was.csv").write_text(text)
        assert ours == [row["audio_path"] for row in read_rows("was.csv")]
    speakers = [{row["client_id"] for row in read_rows(name)} for name in before]
    assert sum(map(len, speakers)) == len(set().union(*speakers)) == 5


def test_nemo_json_with_absolute_paths(place, rows):
    values = [{"audio_filepath": str(place / path), "text": text, "duration": 1.0} for path, text in rows]
    (place / "manifest.json").write_text(lines_of(values))
    assert "audio_path = 'audio_filepath'" in init()


def test_common_voice_with_its_own_splits_and_clips_in_a_folder(place, rows):
    for name, part in (("train", rows[:8]), ("dev", rows[8:10]), ("test", rows[10:])):
        text = "".join(f"c{i}\t{Path(path).name}\t{said}\ten\n" for i, (path, said) in enumerate(part))
        (place / f"{name}.tsv").write_text(f"client_id\tpath\tsentence\tlocale\n{text}")
    assert "train 8, dev 2, test 2 rows; as the files train, dev, test are" in init()
    assert load("config.yaml").config.paths.data_root == Path("clips")


def test_clips_beside_texts(place, rows):
    for path, said in rows:
        (place / path).with_suffix(".txt").write_text(f"{said}\n")
    assert "train" in init()
    assert read_rows("splits/test.csv")[0]["transcript"] in SENTENCES


def test_librispeech_splits_by_its_speakers(place, rows):
    for index, (path, said) in enumerate(rows):
        folder = place / f"{index % 4}" / "7"
        folder.mkdir(parents=True, exist_ok=True)
        (place / path).rename(folder / f"{index % 4}-7-{index:04d}.wav")
        with (folder / f"{index % 4}-7.trans.txt").open("a") as file:
            file.write(f"{index % 4}-7-{index:04d} {said.upper()}\n")
    assert "split by 'speaker_id'" in init()


def test_translations_make_both_tasks_and_another_folder_is_written_to(place, rows):
    write_csv(place / "data.csv", ("path", "sentence", "translation"), [(*row, row[1][::-1]) for row in rows])
    out = init("new", "--manifest", "data.csv")
    assert "new/config.yaml" in out and load("new/config.yaml").config.model.task == "both"
    assert {path.partition("/")[0] for path in files()} == {"clips", "data.csv", "new"}


def test_columns_that_nobody_guesses_are_named(place, rows):
    write_csv(place / "data.csv", ("sound", "said"), rows)
    init("--column", "audio=sound", "--column", "transcript=said")
    columns = load("config.yaml").config.data.columns
    assert (columns.audio, columns.transcript) == ("sound", "said")
    assert "expected NAME=COLUMN" in run("init", "--column", "sound", "--force", code=2).stderr


@pytest.mark.parametrize("kind", ["whisper", "e2e", "hybrid", "mt5"])
@pytest.mark.parametrize("weights", ["random", "pretrained"])
def test_every_model_gives_a_configuration_that_dry_runs(place, rows, kind, weights, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    columns = ("document", "summary") if kind == "mt5" else ("path", "sentence")
    write_csv(place / "data.csv", columns, [(path, said) for path, said in rows])
    init("--model", kind, "--weights", weights)
    config = load("config.yaml").config
    assert config.model.type == kind and (config.model.random is None) == (weights == "pretrained" and kind != "hybrid")


def test_rows_that_cannot_be_trained_on_are_left_out_and_counted(place, rows):
    changed = [(path, "" if index == 3 else said) for index, (path, said) in enumerate(rows)]
    write_csv(place / "data.csv", ("path", "sentence"), changed)
    assert "1 with an empty text (first: data.csv, line 5)" in init()
    assert sum(len(read_rows(f"splits/{name}.csv")) for name in ("train", "dev", "test")) == COUNT - 1


def test_nothing_is_overwritten_without_force(place, rows):
    write_csv(place / "data.csv", ("path", "sentence"), rows)
    (place / "config.yaml").write_text("mine")
    assert run("init", code=2).stderr == (
        "error: config.yaml: exists already, and would be overwritten; move it away, or add --force\n"
    )
    assert (place / "config.yaml").read_text() == "mine" and not (place / "splits").exists()
    init("--force")


GOOD = '{"audio_filepath": "clips/000.wav", "text": "a"}\n'
REFUSALS = {
    "no audio column": ("m.csv", "sound,sentence\nx,y\n", "m.csv, line 1: no column of audio paths, found 'sound', "),
    "no text column": ("m.csv", "path,nothing\nx,y\n", "m.csv, line 1: no column of texts, found 'path', 'nothing'"),
    "unknown extension": ("m.parquet", "x", "m.parquet: found the extension '.parquet', expected one of .csv, .tsv"),
    "zero rows": ("m.csv", "path,sentence\n", "m.csv: found column names but no rows; "),
    "no audio file": (
        "m.csv",
        "path,sentence\nclips/000.wav,a\nclips/gone.wav,b\nclips/001.wav,c\n",
        "m.csv, line 3: found the audio path 'clips/gone.wav', expected a file of that name beneath .; correct",
    ),
    "no audio in the file": (
        "m.csv",
        "path,sentence\nm.csv,a\n",
        "m.csv, line 2: found that m.csv is not readable audio",
    ),
    "no json": (
        "m.jsonl",
        f"{GOOD}oops\n",
        "m.jsonl, line 2: found 'oops', which is not JSON, expected one JSON object",
    ),
    "a json list": ("m.json", "[1]\n", "m.json, line 1: found a list, expected one JSON object"),
    "an empty json": ("m.jsonl", "\n", "m.jsonl: found no row, expected one JSON object"),
    "a segment": (
        "m.jsonl",
        '{"audio_filepath": "x", "text": "a", "offset": 2.5}\n',
        "m.jsonl, line 1: 'offset' is 2.5",
    ),
    "too few rows": ("m.csv", "path,sentence\nclips/000.wav,a\nclips/001.wav,b\n", "m.csv: found 2 different 'row' in"),
}


@pytest.mark.parametrize(("name", "content", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_bad_data_gets_one_sentence_and_nothing_is_written(place, name, content, sentence):
    (place / name).write_text(content)
    before = files()
    result = run("init", "--manifest", name, code=2)
    said = result.stderr.splitlines()[-1]
    assert said.startswith(f"error: {sentence}") and "; " in said and "Traceback" not in result.stderr
    assert files() == before and result.stdout == ""


def test_an_empty_folder_and_two_manifests_are_told(place, rows):
    (place / "empty").mkdir()
    assert "empty: found no manifest and no audio files" in run("init", "empty", code=2).stderr
    for name in ("one.csv", "two.csv"):
        write_csv(place / name, ("path", "sentence"), rows)
    assert "found 2 manifests (one.csv, two.csv), expected one; name it with --manifest" in run("init", code=2).stderr


def command(name, *args, folder):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    path = str(Path(sys.executable).with_name(name))
    done = subprocess.run([path, *args], cwd=folder, capture_output=True, text=True, timeout=1200, env=environment)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_three_commands_lead_from_sixty_clips_to_go_and_a_model_that_learned_them(tmp_path):
    write_csv(tmp_path / "data.csv", ("path", "sentence"), make_clips(tmp_path))
    command("train", "init", folder=tmp_path)
    command("diagnose", "preflight", "--config", "config.yaml", folder=tmp_path)
    report = json.loads((tmp_path / "outputs/hybrid/preflight/report.json").read_text())
    assert report["verdict"] == "go"
    command("train", "--config", "config.yaml", folder=tmp_path)
    command("train", "evaluate", "--config", "config.yaml", "--test-csv", "splits/train.csv", folder=tmp_path)
    figures = json.loads((tmp_path / "outputs/results/hybrid_metrics.json").read_text())
    assert figures["wer"] < 15 and figures["details"]["wer"]["target"] == "< 15" and figures["details"]["wer"]["met"]
