"""Saves the model into a temporary folder, loads it again, and compares weights and loss."""

import io
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.hf_logging import silence_transformers
from probes.facts.core.observer import restore_afterwards, restore_entries
from probes.facts.generation.run_generation import count_time_as_passes
from probes.facts.saving.types import SavedModel

Loss = Callable[[Any], float]  # of a model, in evaluation mode, on the first batch


def is_hf(model: Any) -> bool:
    """A model of transformers that its own class reads back; adapters around one are saved by other means."""
    from transformers import PreTrainedModel

    return isinstance(model, PreTrainedModel) and not getattr(model, "is_quantized", False)


def loss_in_evaluation(compute_loss: Any, batch: Any) -> Loss:
    def loss(model: Any) -> float:
        model.eval()
        with torch.no_grad():
            return float(compute_loss(model, copy_batch(batch)))

    return loss


def save_and_read(model: Any, loss: Loss, before: float | None, seconds: float) -> SavedModel:
    """Into a fresh model beside the first one: one copy of the weights, for as long as this takes."""
    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory(prefix="gonogo-") as folder, restore_entries(), silence_transformers():
            _require_room(model, Path(folder), seconds)
            return _read_again(model, folder, loss, before)
    finally:
        count_time_as_passes(start, seconds)


def _read_again(model: Any, folder: str, loss: Loss, before: float | None) -> SavedModel:
    way, phase = "save_pretrained", "saving"
    try:
        with restore_afterwards(others=(model.config, getattr(model, "generation_config", None))):
            model.save_pretrained(folder)
        phase = "loading"
        fresh, info = type(model).from_pretrained(folder, output_loading_info=True, dtype=model.dtype)
    except Exception as error:
        return SavedModel(way, failure=failure_of(error, model, phase), phase=phase)
    own, other = dict(_tensors(model)), dict(_tensors(fresh))
    changed = [n for n, t in own.items() if n in other and not torch.equal(t.cpu(), other[n].cpu())]
    now = None
    if before is not None:
        try:
            now = loss(fresh.to(model.device))
        except Exception as error:
            failure = failure_of(error, fresh, "forward pass of the loaded model")
            return SavedModel(way, failure=failure, phase="loading")
    missing = tuple(sorted(set(info.get("missing_keys", ())) | (set(own) - set(other))))
    unexpected = tuple(sorted(info.get("unexpected_keys", ())))
    return SavedModel(way, missing, unexpected, tuple(changed), _change(before, now), settings=_settings(model, fresh))


def write_and_read(model: torch.nn.Module, loss: Loss, before: float | None) -> SavedModel:
    """A plain module: its state dict through a file in memory, into the same module with all of it overwritten."""
    pass_counter.count_passes()
    way, phase = "state_dict", "saving"
    try:
        with restore_afterwards(model):
            file = io.BytesIO()
            torch.save(model.state_dict(), file)
            file.seek(0)
            phase = "loading"
            with torch.no_grad():
                for tensor in model.state_dict().values():
                    if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                        tensor.zero_()
            model.load_state_dict(torch.load(file, weights_only=True))
            now = loss(model) if before is not None else None
            return SavedModel(way, missing=tuple(_unregistered(model)), change=_change(before, now))
    except Exception as error:
        return SavedModel(way, failure=failure_of(error, model, phase), phase=phase)


def _tensors(model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    return ((name, value) for name, value in model.state_dict().items() if isinstance(value, torch.Tensor))


def _unregistered(model: torch.nn.Module) -> Iterator[str]:
    """Trainable tensors in plain attributes or lists of a module: state_dict does not hold them."""
    registered = {id(parameter) for parameter in model.parameters()}
    for name, module in model.named_modules():
        for attribute, value in vars(module).items():
            if attribute.startswith("_"):
                continue
            for place, one in _held(attribute, value):
                found = one.parameters() if isinstance(one, torch.nn.Module) else [one]
                if any(t.requires_grad and t.is_leaf and id(t) not in registered for t in found):
                    yield f"{name}.{place}" if name else place


def _held(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, torch.Tensor | torch.nn.Module):
        yield name, value
    elif isinstance(value, list | tuple | dict):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        yield from (
            (f"{name}[{key!r}]", one) for key, one in entries if isinstance(one, torch.Tensor | torch.nn.Module)
        )


def _settings(model: Any, fresh: Any) -> tuple[str, ...]:
    """Settings of generation that were set and came back as something else."""
    both = [getattr(one, "generation_config", None) for one in (model, fresh)]
    one, other = (dict(settings.to_dict()) if settings is not None else {} for settings in both)
    skip = ("transformers_version", "_from_model_config")
    return tuple(n for n, v in one.items() if v is not None and n not in skip and _plain(v) != _plain(other.get(n)))


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _change(before: float | None, now: float | None) -> float | None:
    return None if before is None or now is None else abs(now - before) / max(abs(before), 1e-6)


def _require_room(model: torch.nn.Module, folder: Path, seconds: float) -> None:
    size = sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))
    if size > 0.5 * shutil.disk_usage(folder).free:
        raise NotApplicable(
            f"the weights take {size / 1e9:.1f} GB and the folder for temporary files has no room for them"
        )
    if size / 2e8 > max(5.0, 3 * seconds):  # written and read at 200 MB a second, a slow disk
        raise NotApplicable(f"saving {size / 1e9:.1f} GB takes longer than this stage may")
