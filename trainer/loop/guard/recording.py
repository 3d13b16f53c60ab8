"""The recording of a failed step: batches, rows, RNG states, configuration, weights and optimizer.

Safetensors and JSON, staged, digested and renamed as a checkpoint is; `diagnose nan-bisect` replays it.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file

from trainer.loop.checkpoints.store import REMOVING, SAVING, commit_checkpoint, remove_atomically
from trainer.loop.guard.rng_state import rng_state_to_json
from trainer.loop.guard.tensor_json import pack

if TYPE_CHECKING:
    from trainer.loop.guard.step_snapshot import StepSnapshot
    from trainer.loop.trainer import RunTrainer

log = logging.getLogger(__name__)

FOLDER, FACTS, FORMAT = "recordings", "recording.json", 1
BATCHES, BUFFERS, OPTIMIZER = "batches.safetensors", "buffers.safetensors", "optimizer.safetensors"
MAX_RECORDINGS, MAX_BYTES = 3, 20e9  # of one run: the oldest are removed


def record(trainer: RunTrainer, snapshot: StepSnapshot, figures: dict[str, Any]) -> Path | None:
    """Write the recording of a step; warns and returns None if that fails."""
    folder = trainer.run / FOLDER
    rank, alone = trainer.args.process_index, trainer.args.world_size == 1
    final = folder / (f"step-{snapshot.step:07d}" + ("" if alone else f"-rank-{rank}"))
    # the optimizer takes about twice the bytes of the weights; the recording says what was left out
    left_out = ["optimizer"] if trainer.needed_bytes() > MAX_BYTES / MAX_RECORDINGS else []
    try:
        with commit_checkpoint(final, trainer.needed_bytes()) as staged:
            _write(trainer, snapshot, staged, {**figures, "left_out": left_out})
    except Exception as error:  # whatever it is, it must not take the place of what stopped the run
        log.warning("the recording of step %d could not be written: %s", snapshot.step, error)
        return None
    _rotate(folder, final)
    return final


def recordings(run: Path) -> list[Path]:
    """The recordings of a run, oldest first; `verify` checks one."""
    found = (path for path in (run / FOLDER).glob("step-*") if path.is_dir())
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def remove_partial_recordings(run: Path) -> None:
    """Remove what a killed run was writing or removing."""
    for pattern in (SAVING, REMOVING):
        for left in (run / FOLDER).glob(f"{pattern}*"):
            shutil.rmtree(left, ignore_errors=True)


def _rotate(folder: Path, newest: Path) -> None:
    found = [path for path in recordings(folder.parent) if path != newest]
    while found and (len(found) >= MAX_RECORDINGS or _bytes(newest, *found) > MAX_BYTES):
        remove_atomically(found.pop(0))


def _bytes(*folders: Path) -> int:
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())


def _write(trainer: RunTrainer, snapshot: StepSnapshot, staged: Path, figures: dict[str, Any]) -> None:
    tensors: dict[str, torch.Tensor] = {}
    batches = [pack(batch, tensors, str(number)) for number, batch in enumerate(snapshot.batches)]
    save_file(tensors, staged / BATCHES)
    save_file({name: buffer.contiguous() for name, buffer in snapshot.buffers.items()}, staged / BUFFERS)
    with _in_any_process(trainer.bundle.model):
        trainer.bundle.save(staged)
    moments: dict[str, torch.Tensor] = {}
    state = pack(_torch_optimizer(trainer).state_dict(), moments) if not figures["left_out"] else None
    save_file(moments, staged / OPTIMIZER)
    facts = {
        "format": FORMAT,
        **_step_facts(trainer, snapshot),
        **figures,
        "rows": [list(rows) for rows in rows_of(trainer, snapshot.step, len(snapshot.batches))],
        "batches": batches,
        "chances": [rng_state_to_json(states) for states in snapshot.rng_states],
        "optimizer": state,
    }
    (staged / FACTS).write_text(json.dumps(facts), encoding="utf-8")


@contextmanager
def _in_any_process(model: Any) -> Iterator[None]:
    """Let any process write the model: transformers lets only the first, and the bad row may be another's."""
    model.should_save_on_this_rank = lambda should_save: should_save
    try:
        yield
    finally:
        del model.should_save_on_this_rank


def _step_facts(trainer: RunTrainer, snapshot: StepSnapshot) -> dict[str, Any]:
    args, model = trainer.args, trainer.model
    return {
        "step": snapshot.step,
        "lr": snapshot.lr,
        "losses": [float(loss).hex() for loss in snapshot.losses],
        "totals": [int(snapshot.totals.tokens), int(snapshot.totals.rows)],
        "precision": "fp16" if args.fp16 else "bf16" if args.bf16 else "fp32",
        "processes": args.world_size,
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "ctc_only": trainer.ctc_only,
        "frozen": [name for name, value in model.named_parameters() if not value.requires_grad],
    }


def rows_of(trainer: RunTrainer, step: int, batches: int) -> Iterator[list[dict[str, Any]]]:
    """The rows of each micro-batch of a step, drawn again: the order depends on seed and epoch alone."""
    loader, accumulated = trainer.get_train_dataloader(), trainer.args.gradient_accumulation_steps
    updates = -(-len(loader) // accumulated)
    epoch, update = divmod(step - 1, updates)
    sampler: Any = loader.batch_sampler
    sampler.set_epoch(epoch)
    drawn = list(sampler)[update * accumulated : update * accumulated + batches]
    for indices in drawn:
        yield [{"index": int(index), **_row_names(trainer.train_dataset, index)} for index in indices]


def _row_names(dataset: Any, index: int) -> dict[str, str]:
    rows = getattr(dataset, "rows", None)
    try:
        item = rows[index] if isinstance(rows, list) else dataset[index]
    except Exception:  # it was read when the batch was made; its number is enough
        return {}
    from trainer.data.manifest import FILE, row_id

    where = row_id(item) if FILE in item else str(item.get("id", ""))
    return {"id": where, "file": str(item.get("audio_path", "")) or where}


def _torch_optimizer(trainer: RunTrainer) -> Any:
    return getattr(trainer.optimizer, "optimizer", trainer.optimizer)
