"""Saves a model of transformers into a temporary folder, loads it into a fresh one, and compares weights and loss."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.observer import restore_afterwards, restore_entries
from probes.facts.core.progress_log import silence_transformers
from probes.facts.generation.run_generation import count_time_as_passes
from probes.facts.saving.types import SavedModel

Loss = Callable[[Any], float]  # of a model, in evaluation mode, on the first batch


def is_hf(model: Any) -> bool:
    """A model of transformers that its own class reads back; adapters around one are saved by other means."""
    from transformers import PreTrainedModel

    return isinstance(model, PreTrainedModel) and not getattr(model, "is_quantized", False)


def loss_in_evaluation(compute_loss: Any, batch: Any) -> Loss:
    """Under the same random numbers each time: some models draw masks or noise in evaluation, too."""

    def loss(model: Any) -> float:
        model.eval()
        with torch.no_grad(), seeded("saved_model"):
            return float(compute_loss(model, copy_batch(batch)))

    return loss


def repeated(model: torch.nn.Module, loss: Loss) -> float | None:
    """The loss, where two passes agree to the bit; None where they do not, or where one raises."""
    try:
        with restore_afterwards(model):
            first, second = loss(model), loss(model)
    except Exception:
        return None
    return first if first == second else None


@contextmanager
def temporary_folder(model: torch.nn.Module, seconds: float) -> Iterator[str]:
    """A folder with room for the weights; the time inside counts as passes."""
    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory(prefix="gonogo-") as folder, restore_entries(), silence_transformers():
            _require_room(model, Path(folder), seconds)
            yield folder
    finally:
        count_time_as_passes(start, seconds)


def save_and_read(model: Any, loss: Loss, seconds: float, trainer: Any = None) -> SavedModel:
    """Into a fresh model beside the first one: one copy of the weights, for as long as this takes."""
    way = "save_pretrained" if trainer is None else "trainer.save_model"
    before = repeated(model, loss)
    with temporary_folder(model, seconds) as folder:
        phase = "saving"
        try:
            with restore_afterwards(others=(model.config, getattr(model, "generation_config", None))):
                model.save_pretrained(folder) if trainer is None else trainer.save_model(folder, _internal_call=True)
            phase = "loading"
            fresh, info = type(model).from_pretrained(folder, output_loading_info=True, dtype=model.dtype)
        except Exception as error:
            return SavedModel(way, failure=failure_of(error, model, phase), phase=phase)
    own, other = dict(_tensors(model)), dict(_tensors(fresh))
    changed = [n for n, t in own.items() if n in other and not torch.equal(t.cpu(), other[n].cpu())]
    missing = tuple(sorted(set(info.get("missing_keys", ())) | (set(own) - set(other))))
    unexpected = tuple(sorted(info.get("unexpected_keys", ())))
    try:
        now = None if before is None else _loss_of_reloaded(model, fresh, loss)
    except Exception as error:
        failure = failure_of(error, fresh, "forward pass of the loaded model")
        return SavedModel(way, failure=failure, phase="loading")
    return SavedModel(way, missing, unexpected, tuple(changed), change(before, now), settings=_settings(model, fresh))


def _loss_of_reloaded(model: Any, fresh: Any, loss: Loss) -> float:
    """Where a Trainer replaced the forward method of this very object, a fresh one lacks it: its weights go back in."""
    if not any("forward" in vars(module) for module in model.modules()):
        return loss(fresh.to(model.device))
    with restore_afterwards(model):
        model.load_state_dict(fresh.state_dict(), strict=False)
        return loss(model)


def change(before: float | None, now: float | None) -> float | None:
    """How far the loss moved, as a share of it."""
    return None if before is None or now is None else abs(now - before) / max(abs(before), 1e-6)


def _tensors(model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    return ((name, value) for name, value in model.state_dict().items() if isinstance(value, torch.Tensor))


def _settings(model: Any, fresh: Any) -> tuple[str, ...]:
    """Settings of generation that were set and came back as something else."""
    both = [getattr(one, "generation_config", None) for one in (model, fresh)]
    one, other = (dict(settings.to_dict()) if settings is not None else {} for settings in both)
    skip = ("transformers_version", "_from_model_config")
    return tuple(n for n, v in one.items() if v is not None and n not in skip and _plain(v) != _plain(other.get(n)))


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _require_room(model: torch.nn.Module, folder: Path, seconds: float) -> None:
    size = sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))
    if size > 0.5 * shutil.disk_usage(folder).free:
        raise NotApplicable(f"the weights need {size / 1e9:.1f} GB, more than the free space for temporary files")
    if size / 2e8 > max(5.0, 3 * seconds):  # written and read at 200 MB a second, a slow disk
        raise NotApplicable(f"saving {size / 1e9:.1f} GB takes longer than this stage allows")
