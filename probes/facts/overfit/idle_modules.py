"""What a finished attempt leaves: modules that did not move, and rows that the model generates."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from probes.facts.core.model_parts import covering_modules, holder_of, is_fixed_table, trainable
from probes.facts.generation.run_generation import GenerationRunner
from probes.facts.overfit.detail_types import IdleModule
from probes.facts.overfit.stepper import OverfitSetup, RateGroup

MARGIN = 16  # tokens beyond the longest labels: prompts and an end
PASSES = 60.0  # of training, at most: as many as the learning itself may take


def generate_rows(subject: OverfitSetup, pass_seconds: float) -> tuple[tuple[str, str], ...]:
    """Its text and the reference of each row; nothing where it cannot generate."""
    if subject.generate is None or subject.decode is None:
        return ()
    pairs: list[tuple[str, str]] = []
    for batch in subject.selection.batches:
        labels: Any = subject.labels_of(batch)
        if not isinstance(labels, torch.Tensor) or labels.dim() < 2:
            return ()
        run = GenerationRunner(subject.model, subject.generate, batch, pass_seconds).run(
            labels.shape[1] + MARGIN, PASSES
        )
        if run.failure is not None or (run.ids and len(run.ids) != len(labels)):
            return ()  # the generation stage tells of that
        texts = _texts(subject, run.ids) or [""] * len(labels)
        pairs += zip(texts, _texts(subject, labels.tolist()), strict=True)
    return tuple(pairs)


def _texts(subject: OverfitSetup, ids: list[list[int]]) -> list[str]:
    """Padded as a batch is."""
    rows = [torch.tensor(row) for row in ids]
    if not rows or subject.decode is None:
        return []
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)
    return [" ".join(text.split()) for text in subject.decode(padded)]


ABSENT, NOUGHT, UNHELD, RESTING = "no gradient", "a gradient of zero", "not in the optimizer", "learning rate zero"
FROZEN = "frozen"


def idle_parts(model: torch.nn.Module, reached: set[int], groups: Sequence[RateGroup]) -> tuple[IdleModule, ...]:
    """Of what is meant to train; `reached` are the ids of the weights that got a gradient, `groups` what learns."""
    shares = {id(weight): group.share for group in groups for weight in group.weights}
    reasons: dict[str, str] = {}
    for name, weight in trainable(model):
        if id(weight) not in reached:
            reasons[name] = ABSENT if weight.grad is None else NOUGHT
        elif not shares.get(id(weight)):
            reasons[name] = RESTING if id(weight) in shares else UNHELD
    sizes = {name: weight.numel() for name, weight in trainable(model)}
    found = [part for why in dict.fromkeys(reasons.values()) for part in _parts(model, reasons, why, sizes)]
    return tuple(sorted(found, key=lambda part: -part.share))


def frozen_parts(model: torch.nn.Module) -> tuple[IdleModule, ...]:
    """What does not train, tables that are fixed by design aside; the last of the model first."""
    still = {
        name: FROZEN
        for name, weight in model.named_parameters()
        if not weight.requires_grad and not is_fixed_table(holder_of(model, name), weight)
    }
    sizes = {name: weight.numel() for name, weight in model.named_parameters()}
    return tuple(reversed(list(_parts(model, still, FROZEN, sizes))))


def _parts(model: torch.nn.Module, reasons: dict[str, str], why: str, sizes: dict[str, int]) -> Iterator[IdleModule]:
    named, total = {name for name, reason in reasons.items() if reason == why}, max(sum(sizes.values()), 1)
    for module, kind, names in covering_modules(model, named, set(sizes)):
        yield IdleModule(module, kind, len(names), sum(sizes[name] for name in names) / total, why)


def weights_of(model: torch.nn.Module, part: IdleModule) -> list[Any]:
    inside = (f"{part.module}.", part.module)
    return [weight for name, weight in model.named_parameters() if name == inside[1] or name.startswith(inside[0])]
