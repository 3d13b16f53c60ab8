"""Saves a model and loads it again into the same object, with what trains overwritten in between."""

import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.failure import failure_of
from probes.facts.core.observer import restore_afterwards
from probes.facts.saving.save_and_reload import Loss, change, repeated, temporary_folder
from probes.facts.saving.types import SavedModel


def save_state_dict(model: torch.nn.Module, loss: Loss) -> SavedModel:
    """A plain module: its state dict through a file in memory."""
    file = io.BytesIO()

    def load() -> None:
        file.seek(0)
        model.load_state_dict(torch.load(file, weights_only=True))

    tensors = [t for t in model.state_dict().values() if isinstance(t, torch.Tensor) and t.is_floating_point()]
    return _save_and_load(model, loss, "state_dict", lambda: torch.save(model.state_dict(), file), load, tensors)


def save_with_trainer(trainer: Any, loss: Loss, seconds: float) -> SavedModel:
    """A Trainer's own checkpoint. What does not train may be missing from it: the script builds that again."""
    model = trainer.model
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    with temporary_folder(model, seconds) as folder:
        load = partial(trainer._load_from_checkpoint, folder)
        save = partial(trainer.save_model, folder, _internal_call=True)  # which pushes nothing to a hub
        return _save_and_load(model, loss, "trainer.save_model", save, load, trained)


def _save_and_load(
    model: torch.nn.Module,
    loss: Loss,
    way: str,
    save: Callable[[], Any],
    load: Callable[[], Any],
    tensors: list[torch.Tensor],
) -> SavedModel:
    pass_counter.count_passes()
    phase, before = "saving", repeated(model, loss)
    try:
        with restore_afterwards(model):
            save()
            phase = "loading"
            with torch.no_grad():
                for tensor in tensors:
                    tensor.zero_()
            load()
            now = loss(model) if before is not None else None
            return SavedModel(way, missing=tuple(_unregistered(model)), change=change(before, now))
    except Exception as error:
        return SavedModel(way, failure=failure_of(error, model, phase), phase=phase)


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
