"""A run as a person meets it: what it leaves, how it evaluates, and how it ends when something runs out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from diagnose.common.errors import InputError
from diagnose.engine.engine import installed
from tests.support.small_runs import ARCHITECTURES, ROOT, trainer, write_run
from trainer.config import load
from trainer.evaluation.evaluate_directory import evaluate_directory
from trainer.loop.checkpoints.store import checkpoints, verify
from trainer.loop.run import train, with_epochs
from trainer.loop.runtime.out_of_memory import LargestBatch, is_out_of_memory, out_of_memory
from trainer.models.bundle import load_bundle

EVALUATED = {"eval_strategy": "steps", "eval_steps": 3, "save_strategy": "steps", "save_steps": 3}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A whole run from files, and its result."""
    path = write_run(
        tmp_path_factory.mktemp("finished"),
        max_steps=6,
        report_to="tensorboard",
        load_best_model_at_end=True,
        **EVALUATED,
    )
    return path.parent / "run", train(load(path))


def test_the_layout_is_that_of_the_guide(finished: tuple[Path, Any]) -> None:
    run, _ = finished
    for name in ("config.json", "generation_config.json", "model.safetensors", "preprocessor_config.json"):
        assert (run / name).stat().st_size, name
    for name in ("tokenizer.json", "tokenizer_config.json", "train_results.json", "config.resolved.yaml"):
        assert (run / name).stat().st_size, name
    assert list((run / "logs").glob("events.out.tfevents*"))
    assert [path.name for path in (run / "metrics").iterdir()] == ["test_metrics.json"]
    assert [path.name for path in checkpoints(run)] == ["checkpoint-3", "checkpoint-6"]
    assert not list(run.glob(".saving-*"))


def test_the_results_say_what_was_done(finished: tuple[Path, Any]) -> None:
    run, result = finished
    results = json.loads((run / "train_results.json").read_text())
    assert results["steps"] == result.steps == 6
    assert results["train_loss"] == result.train_loss > 0
    assert results["skipped_batches"] == 0
    assert str(result).startswith("trained 6 steps, loss ")
    history = json.loads((run / "metrics" / "test_metrics.json").read_text())["history"]
    losses = [line["loss"] for line in history if "loss" in line]
    assert results["last_loss"] == result.last_loss == losses[-1] != result.train_loss
    assert f"loss {losses[-1]:.4f} (average over the run {sum(losses) / 6:.4f});" in str(result)
    assert "loss 0.5000 at step 5 (average" in str(replace(result, last_loss=0.5, last_loss_step=5))
    assert f"6 steps, average loss {result.train_loss:.4f};" in str(replace(result, last_loss=None))
    assert [line["step"] for line in history if "eval_wer" in line] == [3, 6]
    assert {"eval_loss", "eval_wer", "eval_cer", "eval_bleu", "eval_chrf"} <= set(history[3])


def test_the_preflight_can_call_the_runs_own_evaluation(tmp_path: Path) -> None:
    path = write_run(tmp_path, max_steps=6, **EVALUATED)
    evaluate = installed().context({"config": load(path)}).get("evaluate")
    assert evaluate()["eval_loss"] > 0


class InterruptingGuard:
    """Presses Ctrl-C in one step."""

    mode = "stop"

    def __init__(self, step: int) -> None:
        self.step = step

    def begin(self, **_: Any) -> None: ...

    def due(self, step: int) -> bool:
        return True

    def judge(self, *, step: int, **_: Any) -> bool:
        if step == self.step:
            self.step = 0
            os.kill(os.getpid(), signal.SIGINT)
        return False


def test_the_model_of_an_earlier_run_is_not_measured_for_one_that_was_interrupted(tmp_path: Path) -> None:
    path = write_run(tmp_path, max_steps=4, save_strategy="steps", save_steps=2)
    run, dev = tmp_path / "run", tmp_path / "splits" / "dev.csv"
    train(load(path))
    assert evaluate_directory(run, dev, tmp_path / "results").clips == 4
    earlier = (run / "model.safetensors").read_bytes()

    with pytest.raises(KeyboardInterrupt, match="stopped after step 3"):
        train(load(path, ["training.learning_rate=0.01"]), guard=InterruptingGuard(3))
    assert (run / "model.safetensors").read_bytes() == earlier
    with pytest.raises(InputError, match=f"did not finish.*--model-dir {run}/checkpoint-3"):
        evaluate_directory(run, dev, tmp_path / "results")
    assert evaluate_directory(run / "checkpoint-3", dev, tmp_path / "results").clips == 4


def test_the_log_has_every_line_with_its_time(finished: tuple[Path, Any]) -> None:
    lines = (finished[0] / "logs" / "train.log").read_text(encoding="utf-8").splitlines()
    assert sum("step 4/6" in line for line in lines) == 1
    assert all(line[:2] == "20" and " INFO " in line for line in lines)


def test_the_resolved_configuration_lies_beside(finished: tuple[Path, Any]) -> None:
    run, _ = finished
    assert load(run / "config.resolved.yaml").config == load(run.parent / "run.yaml").config


def test_the_saved_model_is_the_best_one_and_loads(finished: tuple[Path, Any]) -> None:
    run, result = finished
    best = load_bundle(run / f"checkpoint-{result.best_step}").model.state_dict()
    saved = load_bundle(run).model.state_dict()
    assert all(torch.equal(best[name], saved[name]) for name in best)


@pytest.mark.slow
def test_a_new_run_sets_the_old_checkpoints_aside_and_resume_goes_on(tmp_path: Path, caplog) -> None:
    caplog.set_level("INFO", "trainer")
    path = write_run(tmp_path, "mt5", max_steps=4, save_strategy="steps", save_steps=2)
    first = train(load(path))
    second = train(load(path))
    assert verify(tmp_path / "run" / "earlier-1" / "checkpoint-4") is None
    assert second.train_loss == first.train_loss  # the same seed, the same run
    longer = load(path, ["training.max_steps=6"])
    third = train(longer, resume="auto")
    assert third.steps == 6
    assert third.resumed_from == tmp_path / "run" / "checkpoint-4"
    told = [record.getMessage() for record in caplog.records]
    assert any("training.max_steps was 4 and is 6 now" in line for line in told)


def test_epochs_and_subset_shorten_a_run(tmp_path: Path) -> None:
    resolved = load(write_run(tmp_path, "mt5", max_steps=50))
    result = train(resolved, epochs=2, subset=4)
    assert result.steps == 4  # four rows in twos, twice
    assert with_epochs(resolved, None) is resolved
    assert load(tmp_path / "run" / "config.resolved.yaml").config.training.num_train_epochs == 2


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_evaluation_does_not_depend_on_the_size_of_its_batches(architecture: str, tmp_path: Path) -> None:
    """And is the mean over all tokens, not over batches."""
    figures = []
    for size in (1, 3, 7):
        run = trainer(architecture, tmp_path / str(size), eval_rows=7, eval_strategy="steps", eval_batch_size=size)
        figures.append({k: v for k, v in run.evaluate().items() if not k.endswith(("runtime", "per_second"))})
    for name, value in figures[0].items():
        assert figures[1][name] == pytest.approx(value, rel=1e-4), name
        assert figures[2][name] == pytest.approx(value, rel=1e-4), name
    batch = run.data_collator([run.eval_dataset[index] for index in range(7)])
    with torch.no_grad():
        assert figures[0]["eval_loss"] == pytest.approx(run.model(**batch).loss.item(), rel=1e-4)


def test_evaluating_does_not_change_the_training(tmp_path: Path) -> None:
    losses = []
    for name, settings in {"often": {"eval_strategy": "steps", "eval_steps": 1, "eval_rows": 4}, "never": {}}.items():
        run = trainer("hybrid", tmp_path / name, max_steps=4, dropout=0.3, **settings)
        run.train()
        losses.append([line["loss"] for line in run.state.log_history if "loss" in line])
    assert losses[0] == losses[1]


@pytest.mark.slow
def test_the_best_is_saved_even_when_no_save_is_due(tmp_path: Path) -> None:
    settings = {**EVALUATED, "eval_steps": 1, "save_steps": 4, "load_best_model_at_end": True, "learning_rate": 0.01}
    run = trainer("mt5", tmp_path, max_steps=6, eval_rows=4, **settings)
    run.train()
    assert run.state.best_model_checkpoint == str(tmp_path / f"checkpoint-{run.state.best_global_step}")
    assert verify(Path(run.state.best_model_checkpoint)) is None


def test_arguments_hide_nothing_and_keep_every_column(tmp_path: Path) -> None:
    run = trainer("hybrid", tmp_path, warmup_ratio=0.25, max_steps=8)
    assert run.args.logging_nan_inf_filter is False
    assert run.args.remove_unused_columns is False
    assert run.args.label_names == ["toks"]
    assert run.args.get_warmup_steps(8) == 2
    assert run.args.dataloader_pin_memory is torch.accelerator.is_available()


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is a GPU, where fp16 is right")
def test_fp16_without_a_gpu_is_left_out_and_said(tmp_path: Path, caplog) -> None:
    run = trainer("hybrid", tmp_path, fp16=True, max_steps=1)
    assert not run.args.fp16
    assert "training.fp16 is ignored" in caplog.text
    run.train()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_spoilt_clip_ends_the_run_with_one_sentence(tmp_path: Path, workers: int) -> None:
    path = write_run(tmp_path, rows=6, num_workers=workers)
    (tmp_path / "clip-3.wav").write_bytes(b"RIFF not audio")
    with pytest.raises(InputError) as told:
        train(load(path))
    assert "clip-3.wav" in told.value.message
    assert "train.csv:5" in told.value.message
    assert "\n" not in told.value.message


def test_the_largest_batch_is_remembered_by_its_shape(tmp_path: Path) -> None:
    largest = LargestBatch()
    assert str(largest) == "none"
    for rows in (3, 5, 2):
        largest.update({"feats": torch.zeros(rows, 10, 80), "toks": torch.zeros(rows, 4)})
    assert str(largest) == "feats 5 x 10 x 80"


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (MemoryError(), True),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), True),
        (
            RuntimeError("[enforce fail at alloc_cpu.cpp:124] DefaultCPUAllocator: can't allocate memory: you tried"),
            True,
        ),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
    ],
)
def test_what_counts_as_out_of_memory(error: Exception, memory: bool) -> None:
    assert is_out_of_memory(error) is memory


def test_only_settings_that_help_are_named(tmp_path: Path) -> None:
    config = trainer("hybrid", tmp_path, gradient_checkpointing=True, batch_size=8).config
    said = out_of_memory(MemoryError(), LargestBatch(), config, evaluating=False).message
    assert "training.batch_size (now 8; half of it with gradient_accumulation_steps 2 is equivalent)" in said
    assert "gradient_checkpointing to true" not in said
    assert "or set model.freeze_encoder to true" in said and "chunk_size" not in said
    model = config.model.model_copy(update={"chunk_size": 16, "freeze_encoder": True})
    chunked = config.model_copy(update={"model": model})
    said = out_of_memory(MemoryError(), LargestBatch(), chunked, evaluating=False).message
    assert "model.chunk_size (now 16)" in said and "freeze_encoder" not in said
    evaluation = out_of_memory(MemoryError(), LargestBatch(), config, evaluating=True).message
    assert "during evaluation" in evaluation
    assert "training.eval_batch_size (now 8)" in evaluation


# What follows needs a process of its own: it is limited, interrupted or killed.

TRAIN = "from trainer.cli import main; main()"
SKIP = ("--skip-preflight", "the loop is what is tested")


def start(path: Path, *more: str, code: str = TRAIN) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, "--config", str(path), *SKIP, *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, start_new_session=True, **pipes)


def wait_for(path: Path, words: str, process: subprocess.Popen[str], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not (path.exists() and words in path.read_text(encoding="utf-8")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, f"no {words!r} in {path}"
        time.sleep(0.02)


def weights(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


def here(path: Path, resume: str | None = None) -> Path:
    """Train in this process, with as many threads as the others; where the run is."""
    torch.set_num_threads(1)
    return train(load(path), resume=resume).directory


@pytest.mark.slow
def test_ctrl_c_saves_says_how_to_go_on_and_resumes_exactly(tmp_path: Path) -> None:
    """The signal goes to the whole group, workers included, as a terminal sends it."""
    settings = {"max_steps": 60, "num_workers": 2, "dropout": 0.1, "batch_size": 4}
    path = write_run(tmp_path / "cut", rows=24, **settings)
    process = start(path)
    wait_for(tmp_path / "cut" / "run" / "logs" / "train.log", "step 5/", process)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    assert "ending after this step, with a checkpoint; once more ends at once" in stderr
    assert "Traceback" not in stderr
    [saved] = checkpoints(tmp_path / "cut" / "run")
    assert verify(saved) is None
    assert f"{saved} is complete\nresume with: train --config {path} --resume auto" in stderr
    straight = here(write_run(tmp_path / "straight", rows=24, **settings))
    assert weights(here(path, "auto")) == weights(straight)


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once(tmp_path: Path) -> None:
    """The step it would wait for never ends."""
    code = (
        "import time\nfrom trainer.loop.trainer import RunTrainer\n"
        "RunTrainer.training_step = lambda *_: (open('/dev/stderr', 'w').write('in step\\n'), time.sleep(600))\n"
        + TRAIN
    )
    process = start(write_run(tmp_path, rows=6), code=code)
    for line in process.stderr:
        if "in step" in line:
            break
    process.send_signal(signal.SIGINT)
    assert any("once more ends at once" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == -signal.SIGINT


LIMITED = """
import resource, psutil
import trainer.loop.trainer, trainer.models.hybrid.build, trainer.data.dataset, trainer.evaluation.training_metrics
used = psutil.Process().memory_info().vms
resource.setrlimit(resource.RLIMIT_AS, (used + 400_000_000, resource.RLIM_INFINITY))
"""


@pytest.mark.slow
def test_out_of_memory_is_one_sentence_with_what_to_lower(tmp_path: Path) -> None:
    """For real: the process may grow by 400 MB, and one batch of long clips wants more."""
    path = write_run(tmp_path, rows=8, batch_size=8)
    settings = json.loads(path.read_text())
    settings["model"]["random"] |= {"hidden": 1024, "ffn": 4096}
    path.write_text(json.dumps(settings))
    process = start(path, code=LIMITED + TRAIN)
    _, stderr = process.communicate(timeout=240)
    assert process.returncode == 2, stderr
    said = stderr.strip().splitlines()[-1]
    assert said.startswith("error: out of memory on the CPU during training: peak "), stderr
    assert "MB free, largest batch so far feats 16 x " in said
    assert "training.batch_size (now 8; half of it with gradient_accumulation_steps 2" in said
    assert "Traceback" not in stderr


@pytest.mark.slow
def test_two_runs_in_one_directory_the_second_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, rows=8, max_steps=100000, logging_steps=1)
    first = start(path)
    try:
        wait_for(tmp_path / "run" / "logs" / "train.log", "step 2/", first)
        second = start(path)
        _, stderr = second.communicate(timeout=120)
        assert second.returncode == 2, stderr
        assert f"is in use by another run (pid {first.pid} on " in stderr
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait(10)


@pytest.mark.slow
def test_two_processes_train_save_and_evaluate_every_row_once(tmp_path: Path) -> None:
    """With parts of the model that have no gradient for a while; then both resume from the checkpoint of both."""
    settings = {**EVALUATED, "max_steps": 6, "load_best_model_at_end": True, "ctc_only_steps": 1}
    path = write_run(tmp_path, rows=10, freeze_encoder=True, freeze_encoder_epochs=1, **settings)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    child = tmp_path / "child.py"
    child.write_text(TRAIN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    for more in ([], ["--resume", "auto", "--set", "training.max_steps=8"]):
        line = [*command, str(child), "--config", str(path), *SKIP, *more]
        done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stderr[-3000:]
    run = tmp_path / "run"
    assert all(verify(found) is None for found in checkpoints(run))
    assert {"rng_state_0.pth", "rng_state_1.pth"} <= {path.name for path in checkpoints(run)[-1].iterdir()}
    history = json.loads((run / "metrics" / "test_metrics.json").read_text())["history"]
    alone = trainer("hybrid", tmp_path / "alone", eval_rows=4, eval_strategy="steps")
    assert [line["step"] for line in history if "eval_loss" in line] == [3, 6, 8]
    assert alone.evaluate().keys() >= {name for name in history[3] if name.startswith("eval_")}
