"""The whole way, on a corpus and models small enough for seconds; the second time only what is missing."""

import json
import shutil

import pytest

from diagnose.common.errors import InputError
from diagnose.common.progress import Verbosity, progress, verbosity
from trainer.config import load
from trainer.data.manifest import read_rows
from trainer.demo.corpus import make_corpus
from trainer.demo.corpus_plan import CorpusSize
from trainer.demo.run import SPEECH, TEXT, demo, settings
from trainer.evaluation.evaluate_directory import evaluate_directory
from trainer.paths import shipped_config
from trainer.pipeline.pipeline import pipeline
from trainer.pipeline.stamps import digest_of, file_list_digest, is_current, write_stamp
from trainer.pipeline.steps import data_step

pytestmark = pytest.mark.slow  # whole runs

SMALL = CorpusSize(videos=5, sentences_per_video=3, unseen_videos=1, documents_per_video=3)
QUICK = (
    *("training.max_steps=2", "training.eval_steps=2", "training.save_steps=2", "training.logging_steps=1"),
    *("training.generation_max_length=8", "model.random.hidden=16", "model.random.ffn=16", "model.random.heads=2"),
    *("training.warmup_ratio=0", "training.report_to=none"),
)


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("speech"), size=SMALL, workers=1).directory


@pytest.fixture
def root(speech, tmp_path):
    return shutil.copytree(speech, tmp_path / "data")


def quick(model, root, *more):
    return settings(model, 0, root, [*QUICK, *more])


@pytest.fixture(scope="module")
def finished(speech, tmp_path_factory):
    """Two models, all the way."""
    root = shutil.copytree(speech, tmp_path_factory.mktemp("finished") / "data")
    return root, pipeline([quick("hybrid", root), quick("mt5", root)])


@pytest.mark.slow
def test_everything_is_where_the_outcome_says(finished):
    root, outcome = finished
    assert [path.name for path in outcome.runs] == ["demo_hybrid", "demo_mt5"]
    assert all((run / "model.safetensors").is_file() for run in outcome.runs)
    assert {path.name for path in (root / "outputs" / "results").iterdir()} == {
        f"demo_{model}_{what}" for model in ("hybrid", "mt5") for what in ("metrics.json", "predictions.csv")
    }
    assert {path.name for path in outcome.charts} >= {"training_loss.png", "wer_comparison.png", "bleu_comparison.png"}
    assert all(path.stat().st_size > 10_000 for path in outcome.charts)


def test_the_scores_are_those_of_the_test_split(finished):
    root, outcome = finished
    assert [score.clips for score in outcome.scores] == [
        len(read_rows(root / folder / "test.csv")) for folder in ("splits", "text_splits")
    ]


def test_the_second_time_nothing_is_trained_again(finished, capsys):
    root, outcome = finished
    before = (outcome.runs[0] / "model.safetensors").stat().st_mtime_ns
    again = pipeline([quick("hybrid", root)])
    said = capsys.readouterr().err
    assert (outcome.runs[0] / "model.safetensors").stat().st_mtime_ns == before
    assert "[1/4] Prepare data" in said and "[4/4] Plot charts" in said
    assert said.count("is up to date") == 2 and "is already trained" in said
    assert again.scores[0].metrics == outcome.scores[0].metrics


def test_a_run_is_evaluated_on_any_file(finished, tmp_path):
    root, outcome = finished
    scores = evaluate_directory(outcome.runs[0], root / "test_unseen.csv", tmp_path, "hybrid", "unseen", subset=2)
    assert scores.clips == 2 and scores.metrics_path == tmp_path / "unseen_metrics.json"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"model_dir": "nowhere"}, "no such folder"),
        ({"model_type": "whisper"}, "contains a model of type hybrid, but --model-type is whisper"),
        ({"name": "../x"}, "expected a plain name"),
        ({"test_csv": "documents.csv"}, "no column 'audio_path'"),
    ],
)
def test_what_cannot_be_evaluated_is_told(finished, tmp_path, given, words):
    root, outcome = finished
    given = {"model_dir": outcome.runs[0], "output": tmp_path, **given}
    if "test_csv" in given:
        given["test_csv"] = root / given["test_csv"]
    with pytest.raises(InputError, match=words):
        evaluate_directory(**given)


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_another_setting_starts_anew(finished, capsys, caplog):
    root, outcome = finished
    (outcome.runs[0] / "train_results.json").unlink()
    caplog.set_level("INFO")
    pipeline([quick("hybrid", root)])
    assert "resuming from" in caplog.text
    caplog.clear()
    pipeline([quick("hybrid", root, "training.learning_rate=0.01")])
    assert "resuming from" not in caplog.text
    assert "is already trained" not in capsys.readouterr().err


def test_the_gate_is_asked_before_each_training(root):
    def refuse(resolved):
        raise InputError(f"no-go: {resolved.config.output.experiment_name}")

    with pytest.raises(InputError, match="no-go: demo_hybrid"):
        pipeline([quick("hybrid", root)], gate=refuse)
    assert not (root / "outputs" / "demo_hybrid").exists()
    assert (root / "splits" / "train.csv").exists()


def test_two_configurations_may_not_share_a_folder(root):
    with pytest.raises(InputError, match="two configurations have the"):
        pipeline([quick("hybrid", root), quick("hybrid", root)])
    with pytest.raises(InputError, match="no configuration"):
        pipeline([])


def test_splits_of_ones_own_are_left_alone(root, capsys):
    config = quick("hybrid", root, "data.manifest_dir=mine").config
    data_step(config)
    assert not (root / "mine").exists() and not (root / "manifest_clean.tsv").exists()
    assert "using the existing splits" in capsys.readouterr().err


def test_data_that_changed_is_prepared_again(root, capsys):
    config = quick("hybrid", root).config
    data_step(config)
    lines = (root / "manifest.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (root / "manifest.tsv").write_text("".join(lines[:-1]), encoding="utf-8")
    data_step(config)
    said = capsys.readouterr().err
    assert "15 rows in, 15 out" in said and "14 rows in, 14 out" in said
    assert "is up to date" not in said


def test_the_demo_goes_all_the_way_and_reuses_it(root, capsys):
    first = demo("hybrid", 0, root, size=SMALL, overrides=QUICK)
    out, err = capsys.readouterr()
    assert [score.name for score in first.scores] == ["demo_hybrid", "demo_hybrid_unseen_voices"]
    assert all(f"[{number}/6]" in err for number in range(1, 7))
    assert SPEECH in out and SPEECH in err and "no diagnosis is available" in err
    for path in (*first.charts, first.runs[0], *(score.metrics_path for score in first.scores)):
        assert str(path) in out
    second = demo("hybrid", 0, root, gate=lambda resolved: "go", size=SMALL, overrides=QUICK)
    err = capsys.readouterr().err
    assert "already exists" in err and "is already trained" in err and "      go\n" in err
    assert [score.metrics for score in second.scores] == [score.metrics for score in first.scores]


def test_the_demo_of_text_has_no_voices_and_leaves_the_charts_of_the_others(root, capsys):
    speech = demo("hybrid", 0, root, size=SMALL, overrides=QUICK)
    capsys.readouterr()
    outcome = demo("mt5", 0, root, size=SMALL, overrides=QUICK)
    assert not set(outcome.charts) & set(speech.charts)
    out, err = capsys.readouterr()
    assert f"Results ({TEXT})" in out and TEXT in err and SPEECH not in out + err
    assert [score.name for score in outcome.scores] == ["demo_mt5"]
    assert {path.name for path in outcome.charts} >= {"training_loss.png", "rouge_comparison.png"}
    assert "wer_comparison.png" not in {path.name for path in outcome.charts}


def test_the_demo_keeps_to_its_directory_whatever_it_is_called(tmp_path):
    odd = tmp_path / "a: b #1"
    config = settings("whisper", 7, odd).config
    assert config.paths.data_root == odd and config.output.dir == odd / "outputs" / "demo_whisper"
    assert config.training.seed == 7
    assert config.model == load(shipped_config("demo_whisper")).config.model


def test_a_stamp_is_current_while_inputs_and_outputs_are_the_same(tmp_path):
    source, made, stamp = (tmp_path / name for name in ("in", "out", "stamp"))
    source.write_text("a")
    assert not is_current(stamp, digest_of(source, 1), [])
    write_stamp(stamp, digest_of(source, 1))
    assert is_current(stamp, digest_of(source, 1), [])
    assert not is_current(stamp, digest_of(source, 1), [made])
    assert not is_current(stamp, digest_of(source, 2), [])
    source.write_text("b")
    assert not is_current(stamp, digest_of(source, 1), [])
    stamp.write_text(json.dumps([]))
    assert not is_current(stamp, digest_of(source, 1), [])


def test_many_files_are_told_apart_by_size_and_presence(tmp_path):
    before = file_list_digest([tmp_path / "a"])
    (tmp_path / "a").write_text("x")
    first = file_list_digest([tmp_path / "a"])
    (tmp_path / "a").write_text("xy")
    assert len({before, first, file_list_digest([tmp_path / "a"])}) == 3


def test_progress_is_told_in_lines_where_there_is_no_terminal(capsys):
    with progress("work", 3) as advance:
        advance()
        advance(2)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("work: 3/3, ")


def test_nothing_is_told_when_it_is_quiet(capsys):
    token = verbosity.set(Verbosity.QUIET)
    with progress("work", 1) as advance:
        advance()
    verbosity.reset(token)
    assert capsys.readouterr() == ("", "")
