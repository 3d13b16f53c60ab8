"""`diagnose curves` on what trainers really leave, and on what is spoilt; `diagnose release` on a run of ours."""

import csv
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from diagnose.cli import main
from diagnose.curves.read_log import read
from diagnose.engine.engine import engine_of
from diagnose.gate.digests import DigestInputs, Digests
from diagnose.gate.output_folder import PreflightFolder
from diagnose.gate.receipt import Receipt
from diagnose.gate.run_preflight import run_and_write
from diagnose.release.receipt_of_run import configuration_of
from probes.healthy import healthy
from probes.subjects.short_run import LoopVariant, short_run
from tests.support.fake_probes import examine, finds, passes
from tests.support.small_runs import trainer


def curves(*arguments):
    return CliRunner().invoke(main, ["curves", *map(str, arguments)])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of our own trainer: metrics, event files, checkpoints, the model."""
    folder = tmp_path_factory.mktemp("finished")
    settings = {"max_steps": 24, "eval_strategy": "steps", "eval_steps": 8, "save_strategy": "steps", "save_steps": 24}
    run = trainer("hybrid", folder, eval_rows=4, report_to="tensorboard", lr_scheduler_type="cosine", **settings)
    run.train()
    run.bundle.save(folder)
    return folder


@pytest.fixture(scope="module")
def without_zero_grad():
    return short_run(healthy("classifier"), LoopVariant(clears=False, clip=None)).rows


@pytest.fixture
def run(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def test_a_run_of_ours_is_read_whole_and_passes(finished):
    told = curves(finished)
    assert told.exit_code == 0 and "NO ERRORS IN THESE LOGS" in told.stdout
    records = read(finished)
    assert len(records.series("loss").values) == 24 and records.schedule == "cosine"
    assert set(records.rows[0].parts) == {"ctc", "att"} and "wer" in records.evaluated
    assert len(records.series("evaluation.loss").values) == 3 and "eval wer" in told.stdout


@pytest.mark.parametrize("place", ["checkpoint-24/trainer_state.json", "checkpoint-24", "logs"])
def test_every_file_of_a_run_tells_the_same_losses(finished, place):
    wanted = read(finished).series("loss").values
    assert read(finished / place).series("loss").values == pytest.approx(wanted, rel=1e-6)


def written(path, rows, names=("global_step", "train/loss", "gradient_norm", "lr-AdamW")):
    values = [[row.step, row.loss, row.grad_norm, row.lr] for row in rows]
    with path.open("w", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(dict(zip(names, one, strict=True))) + "\n" for one in values)
        else:
            csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([names, *values])
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_a_fault_in_a_foreign_log_is_named(tmp_path, without_zero_grad, suffix):
    path = written(tmp_path / f"log.{suffix}", without_zero_grad)
    told = curves(path, "--json", tmp_path / "r.json", "--sarif", tmp_path / "r.sarif", "--junit", tmp_path / "r.xml")
    assert told.exit_code == 1 and "STP014 error  step 40" in told.stdout and "zero_grad" in told.stdout
    (outcome,) = [o for o in json.loads((tmp_path / "r.json").read_text())["outcomes"] if o["findings"]]
    assert outcome["probe"] == "STP014" and outcome["findings"][0]["file"] == str(path)
    assert (tmp_path / "r.sarif").exists() and (tmp_path / "r.xml").exists()


def test_event_files_that_lie_side_by_side_are_one_run(tmp_path):
    from torch.utils.tensorboard import SummaryWriter

    for name, steps in (("train", range(1, 13)), ("validation", (4, 8, 12))):
        with SummaryWriter(tmp_path / name) as writer:
            for step in steps:
                writer.add_scalar("epoch_loss", 5.0 - step / 10, step)
    records = read(tmp_path)
    assert len(records.series("loss").values) == 12 and records.series("evaluation.loss").steps == (4, 8, 12)


def test_names_of_evaluation_figures_lose_their_prefix_and_the_summary_is_left_out(tmp_path):
    history = [{"step": s, "loss": 5.0 - s / 10, "learning_rate": 1e-4, "epoch": 0.1} for s in range(1, 11)]
    history += [
        {"step": 10, "eval_loss": 4.1, "eval_wer": 50.0, "eval_runtime": 3.0},
        {"step": 10, "train_loss": 0.0, "train_runtime": 9},
    ]
    (tmp_path / "trainer_state.json").write_text(
        json.dumps({"log_history": history, "max_steps": 20, "global_step": 10})
    )
    records = read(tmp_path)
    assert records.evaluated == ("loss", "wer") and min(records.series("loss").values) == 4.0
    assert (records.total_steps, records.finished) == (20, False)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("log.csv", "", "it is empty"),
        ("log.csv", "a,b\n1,2\n", "found a, b"),
        ("log.csv", "step,loss\n1,2.0\n2,much\n", "line 3: loss is 'much', expected a number"),
        ("log.csv", "step,loss\n1,2.0,7\n", "line 2: more fields"),
        ("log.csv", "step,loss\n1.5,2.0\n", "line 2: step is '1.5'"),
        ("log.csv", "step,loss\n1,2.0\n2,1.9\n", "found 2 training losses, expected at least 10"),
        ("log.jsonl", '{"step": 1}\nnonsense\n', "line 2: is not JSON"),
        ("log.jsonl", "[1]\n", "line 1: found list"),
        ("log.jsonl", '{"step": 1' + "0" * 400 + ', "loss": 3}\n', "expected a number"),
        ("log.jsonl", "[" * 100_000 + "\n", "is not JSON"),
        ("trainer_state.json", "[" * 100_000, "cannot be read as JSON"),
        ("trainer_state.json", "{", "cannot be read as JSON"),
        ("trainer_state.json", "{}", "no log_history"),
        ("trainer_state.json", '{"log_history": [3]}', "entry 1: found int"),
        ("events.out.tfevents.1.x", "garbage", "no training metrics"),
        ("log.txt", "loss 3", "expected trainer_state.json"),
    ],
)
def test_what_cannot_be_read_ends_with_2_and_the_reason(tmp_path, name, text, told):
    (tmp_path / name).write_text(text)
    answer = curves(tmp_path / name)
    assert answer.exit_code == 2 and name in answer.stderr and told in answer.stderr, answer.stderr
    assert "Traceback" not in answer.output


def test_bytes_and_empty_folders_and_missing_paths_end_with_2(tmp_path):
    (tmp_path / "log.csv").write_bytes(b"\xff\xfe\x00\x01" * 40)
    (tmp_path / "all.csv").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "wide.tsv").write_text("step\tloss\n1\t3\n", encoding="utf-16")
    for name in ("log.csv", "all.csv", "wide.tsv"):
        assert "is not UTF-8 text" in curves(tmp_path / name).stderr
    assert curves(tmp_path / "nowhere").exit_code == 2
    (tmp_path / "empty").mkdir()
    assert "found no metrics" in curves(tmp_path / "empty").stderr


@pytest.mark.parametrize("lost", [1, 15])
def test_a_run_of_the_stock_trainer_that_went_nan_is_not_sound(tmp_path, lost):
    """Its filter logs NaN losses as 0: only the gradient norms and the evaluation still tell."""
    stock_run(tmp_path, lost)
    told = curves(tmp_path)
    assert told.exit_code == 1 and "STP002 error" in told.stdout and "logging_nan_inf_filter" in told.stdout
    assert told.stdout.count(" error ") == 1


def stock_run(folder, lost):
    """transformers' own Trainer, with a loss that is NaN at one step."""
    from torch.utils.data import Subset
    from transformers import Trainer, TrainingArguments

    from tests.support.line_model import Line, Rows

    class Unsound(Trainer):
        def compute_loss(self, model, inputs, *more, **given):
            loss = super().compute_loss(model, inputs, *more, **given)
            return loss * float("nan") if model.training and self.state.global_step == lost - 1 else loss

    every = {"logging_steps": 1, "eval_strategy": "steps", "eval_steps": 10, "save_steps": 30}
    quiet = {"report_to": "none", "disable_tqdm": True, "use_cpu": True, "remove_unused_columns": False}
    arguments = TrainingArguments(str(folder), max_steps=30, per_device_train_batch_size=4, **every, **quiet)
    Unsound(Line(), arguments, train_dataset=Rows(), eval_dataset=Subset(Rows(), range(8))).train()


def test_warnings_are_not_called_nothing(tmp_path):
    swings = "".join(f"{s},{4.0 + 3.5 * (-1) ** s},{1e-3 / s}\n" for s in range(1, 60))
    (tmp_path / "log.csv").write_text(f"step,loss,lr\n{swings}")
    told = curves(tmp_path / "log.csv")
    assert told.exit_code == 0 and "NO ERRORS IN THESE LOGS: 1 warning" in told.stdout


def test_evaluations_alone_are_too_little_and_nothing_is_said_of_a_training_loss(tmp_path):
    lines = [{"step": 100 * n, "eval_loss": 2 + abs(n - 3)} for n in range(1, 9)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = curves(tmp_path / "log.jsonl")
    assert told.exit_code == 2 and "found 0 training losses beside 8 evaluations" in told.stderr
    assert "while the training loss is not in the log" in " ".join(told.stdout.split())


def test_an_error_in_a_short_log_is_still_an_error(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"step": 1, "loss": 5.0}\n{"step": 2, "loss": NaN}\n{"step": 3, "lo')
    told = curves(tmp_path / "log.jsonl")
    assert told.exit_code == 1 and "STP001 error  step 2" in told.stdout and "×" in told.stdout


@pytest.mark.slow
def test_the_command_works_as_a_process(tmp_path, without_zero_grad):
    path = written(tmp_path / "log.csv", without_zero_grad)
    ran = subprocess.run(
        [sys.executable, "-m", "diagnose", "curves", str(path)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1 and "STP014" in ran.stdout and not ran.stderr


def test_a_run_is_compared_with_one_that_is_known_to_be_good(tmp_path):
    logs = Path(__file__).parent / "healthy_logs"
    good = logs / "loop_digits_adam.csv"
    alike = curves(good, "--against", good)
    assert alike.exit_code == 0 and "STP027" not in alike.stdout and "+0%" in alike.stdout
    rows = good.read_text().splitlines()
    worse = [f"{line.split(',')[0]},{1.4 * float(line.split(',')[1])}" for line in rows[1:]]
    (tmp_path / "worse.csv").write_text("\n".join(["step,loss", *worse]) + "\n")
    told = curves(tmp_path / "worse.csv", "--against", good, "--json", tmp_path / "r.json")
    assert "STP027" in told.stdout and "+40%" in told.stdout and "STP027" in (tmp_path / "r.json").read_text()
    assert "STP027" not in curves(good, "--against", tmp_path / "worse.csv").stdout
    assert curves(good, "--against", tmp_path / "nowhere").exit_code == 2


def test_a_metric_that_is_worse_than_in_the_good_run_is_told(tmp_path):
    for name, last in (("good", 20.0), ("bad", 31.0)):
        lines = [{"step": s, "loss": 3 / (1 + s / 100)} for s in range(10, 401, 10)]
        lines += [{"step": 100 * n, "eval_wer": wer} for n, wer in enumerate((50.0, 23.0, 21.0, last), 1)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = " ".join(curves(tmp_path / "bad.jsonl", "--against", tmp_path / "good.jsonl").stdout.split())
    assert "wer is 31 at the last common evaluation, 20 in the reference run" in told
    assert "STP027" not in curves(tmp_path / "good.jsonl", "--against", tmp_path / "bad.jsonl").stdout


def release(*arguments):
    return CliRunner().invoke(main, ["release", *map(str, arguments)])


def vouched(folder, created="2020-01-01T00:00:00+00:00", config=None, manifests=()):
    """The receipt of a preflight that said go, made before the run started."""
    report = examine([passes(id) for id in ("LOS001", "GRD001", "LRN001")])
    digests = Digests.of(
        DigestInputs(folder, configuration_of(folder) if config is None else config, manifests=manifests)
    )
    PreflightFolder(folder / "preflight").write(report, replace(Receipt.of(report, digests), created=created))


def test_a_release_needs_evidence_then_signatures_and_then_is_open(run):
    missing = release(run)
    assert missing.exit_code == 2 and "Silent bugs ruled out: evidence missing" in missing.stdout
    vouched(run)
    unsigned = release(run)
    assert unsigned.exit_code == 1 and "not signed: Training logs reviewed (ML Engineer)" in unsigned.stdout
    assert release(run, "--sign", "Lan", "--item", "logs", "--item", "gradients").exit_code == 1
    done = release(run, "--sign", "Minh", "--note", "read all of it", "--item", "overfitting", "--item", "silent")
    assert done.exit_code == 0 and "OPEN: every check passed and is signed" in done.stdout
    kept = json.loads((run / "release.json").read_text())
    assert {key: one["by"] for key, one in kept["signatures"].items()} == {
        "logs": "Lan",
        "gradients": "Lan",
        "overfitting": "Minh",
        "silent": "Minh",
    }
    assert release(run).exit_code == 0 and "Minh" in (run / "release.md").read_text()


def test_a_what_if_after_the_training_does_not_close_the_release(run):
    vouched(run)
    assert release(run, "--sign", "Lan").exit_code == 0
    engine = engine_of([finds("LOS001"), passes("GRD001"), passes("LRN001")])
    facts = {"model": 1, "digest_inputs": DigestInputs(run, {"training.learning_rate": 1000.0})}
    assert run_and_write(engine, engine.context(facts)).report.exit_code == 1
    assert release(run).exit_code == 0


def test_a_receipt_of_another_model_or_made_after_the_training_is_refused_with_the_reason(run, tmp_path):
    vouched(run, config={**configuration_of(run), "model.random.layers": 7})
    other = release(run)
    assert other.exit_code == 1 and "model.random.layers was 7, is" in " ".join(other.stdout.split())
    vouched(run, created="2099-01-01T00:00:00+00:00")
    late = release(run)
    assert late.exit_code == 1 and "after the last start of the training" in " ".join(late.stdout.split())
    (tmp_path / "train.csv").write_text("a\nb\n")
    vouched(run, manifests=(tmp_path / "train.csv",))
    assert "not signed" in release(run).stdout
    (tmp_path / "train.csv").write_text("a\nc\n")
    assert "line 2" in " ".join(release(run).stdout.split())
    (run / "config.resolved.yaml").unlink()
    assert release(run).exit_code == 2
    vouched(run, config={})
    assert release(run).exit_code == 2


def test_another_model_voids_every_signature(run):
    vouched(run)
    assert release(run, "--sign", "Lan").exit_code == 0
    weights = next(run.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes() + b"x")
    told = release(run)
    assert told.exit_code == 1 and told.stderr.count("the signature is void") == 4


def test_a_failing_check_cannot_be_signed(run):
    vouched(run)
    path = next((run / "metrics").glob("*_metrics.json"))
    content = json.loads(path.read_text())
    content["history"][-2]["loss"] = float("nan")
    path.write_text(json.dumps(content))
    told = release(run, "--sign", "Lan")
    assert told.exit_code == 1 and "Training logs reviewed: failing" in told.stdout
    refused = release(run, "--sign", "Lan", "--item", "logs")
    assert refused.exit_code == 2 and "cannot be signed" in refused.stderr


def test_a_warning_is_signed_with_a_note_only(run, without_zero_grad):
    vouched(run)
    path = next((run / "metrics").glob("*_metrics.json"))
    content = json.loads(path.read_text())
    for number, entry in enumerate(entry for entry in content["history"] if "grad_norm" in entry):
        entry["grad_norm"] = 5000.0 if number == 20 else 1.0
    path.write_text(json.dumps(content))
    assert "explain with --note" in release(run, "--sign", "Lan").stderr
    assert release(run, "--sign", "Lan", "--note", "a broken row, dropped since").exit_code == 0


def test_a_release_of_nothing_ends_with_2(tmp_path):
    assert release(tmp_path / "nowhere").exit_code == 2
    assert "found no weights" in release(tmp_path).stderr
    assert "--sign NAME" in release(tmp_path, "--note", "x").stderr
