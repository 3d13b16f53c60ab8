"""Checkpoints whose digests were made again over other content: one sentence each, no payload runs, none is silent."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from diagnose.common.errors import InputError
from tests.support.small_runs import write_run
from trainer.config import load
from trainer.evaluation.evaluate_directory import load_run
from trainer.loop.checkpoints.checksums import DIGESTS, RESULTS, verify, write_checksums
from trainer.loop.checkpoints.store import checkpoints
from trainer.loop.run import train


class Payload:
    """Creates a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> tuple[Path, Path]:
    """The configuration of a run and its only checkpoint."""
    folder = tmp_path_factory.mktemp("run")
    path = write_run(folder, rows=6, max_steps=2, save_strategy="steps", save_steps=1, save_total_limit=1)
    torch.set_num_threads(1)
    train(load(path))
    return path, checkpoints(folder / "run")[-1]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps(Payload(path.with_name("ran"))))


def zipped(path: Path) -> None:
    torch.save(Payload(path.with_name("ran")), path)


def text(content: str) -> Any:
    return lambda path: path.write_text(content)


def object_of(content: Any) -> Any:
    return lambda path: torch.save(content, path)


def emptied(path: Path) -> None:
    state = torch.load(path, weights_only=True)
    torch.save({**state, "state": {}}, path)


def reshaped(path: Path) -> None:
    state = torch.load(path, weights_only=True)
    for one in state["state"].values():
        one["exp_avg"] = torch.zeros(3)
    torch.save(state, path)


def ahead(path: Path) -> None:
    torch.save({**torch.load(path, weights_only=True), "last_epoch": 10**9}, path)


def without_a_tensor(path: Path) -> None:
    tensors = load_file(path)
    tensors.pop(next(iter(tensors)))
    save_file(tensors, path, metadata={"format": "pt"})


CASES = [
    *((name, how) for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth") for how in (Path.unlink, cut, pickled)),
    *((name, zipped) for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth", "scaler.pt")),
    *((name, object_of([1])) for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth")),
    *((name, how) for name in ("trainer_state.json", "loop_state.json") for how in (Path.unlink, cut, text("[]"))),
    ("trainer_state.json", text('{"global_step": 7, "log_history": []}')),
    ("loop_state.json", text('{"format": 1}')),
    ("optimizer.pt", emptied),
    ("optimizer.pt", reshaped),
    ("scheduler.pt", object_of({"last_epoch": 10**9})),
    ("scheduler.pt", ahead),
    ("model.safetensors", Path.unlink),
    ("model.safetensors", cut),
    ("model.safetensors", without_a_tensor),
    ("config.json", text('{"model_type": "hybrid", "hidden": -3}')),
    ("config.json", text("[")),
    ("tokenizer.json", text("{}")),
    ("preprocessor_config.json", text("[]")),
    ("config.resolved.yaml", text("{")),
]


IN_SHORT = (1, 3, 8, 9, 12, 17, 24, 25, 32)  # of each kind one; all of them with `-m bench`
ALL = [pytest.param(*case, marks=[] if n in IN_SHORT else pytest.mark.bench, id=str(n)) for n, case in enumerate(CASES)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "how"), ALL)
def test_a_checkpoint_of_an_attacker_is_one_sentence(
    saved: tuple[Path, Path], tmp_path: Path, name: str, how: Any
) -> None:
    path, checkpoint = saved
    copy = tmp_path / checkpoint.name
    shutil.copytree(checkpoint, copy)
    (copy / DIGESTS).unlink()
    how(copy / name)
    write_checksums(copy)
    with pytest.raises(InputError) as refused:
        train(load(path, ["training.max_steps=3", f"output.dir={tmp_path / 'run'}"]), resume=str(copy))
    message = refused.value.message
    assert str(copy) in message or name in message or message.startswith("the checkpoint is from another model")
    assert "\n" not in message and not (copy / "ran").exists()


def test_a_file_that_was_not_committed_is_refused(saved: tuple[Path, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(saved[1], tmp_path / saved[1].name)
    assert verify(copy) is None
    (copy / "pytorch_model.bin").write_bytes(b"payload")
    assert verify(copy) == f"it contains pytorch_model.bin, which its {DIGESTS} does not list"


def test_the_folder_of_a_run_lists_its_model_and_may_hold_other_files(saved: tuple[Path, Path], tmp_path: Path) -> None:
    run = shutil.copytree(saved[1].parent, tmp_path / "run")
    (run / "notes.txt").write_text("mine")
    assert verify(run) is None and "model.safetensors" in json.loads((run / DIGESTS).read_text())["files"]
    (run / "adapter_model.safetensors").write_bytes(b"")
    assert "adapter_model.safetensors" in str(verify(run))


def damaged(run: Path, how: Any, redigest: bool) -> str:
    how(run / "model.safetensors")
    if redigest:
        results = (run / RESULTS).read_bytes()
        (run / DIGESTS).unlink()
        (run / RESULTS).unlink()
        write_checksums(run)
        (run / RESULTS).write_bytes(results)
    with pytest.raises(InputError) as refused:
        load_run(run)
    return refused.value.message


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def with_nan(path: Path) -> None:
    tensors = load_file(path)
    tensors[min(tensors)].fill_(float("nan"))
    save_file(tensors, path, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("how", "redigest", "words"),
    [
        (flipped, False, "its model.safetensors has changed since it was saved"),
        (with_nan, True, "has NaN or infinite values; train again"),
        (without_a_tensor, True, "lacks the weights ctc.*; train again"),
        (pickled, True, "cannot be loaded"),
    ],
)
def test_a_damaged_model_is_not_evaluated(
    saved: tuple[Path, Path], tmp_path: Path, how: Any, redigest: bool, words: str
) -> None:
    run = shutil.copytree(saved[1].parent, tmp_path / "run", ignore=shutil.ignore_patterns("checkpoint-*"))
    assert load_run(run).config.model.type == "hybrid"
    assert words in damaged(run, how, redigest)
