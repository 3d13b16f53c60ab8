"""Gives the first row other inputs, and looks whether the outputs of other rows change."""

from dataclasses import replace
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.hooks import ModuleCall as HookedCall
from probes.facts.core.hooks import record_modules
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.influence.model_call import ModelCall, same_outputs
from probes.facts.influence.types import RowInfluence

ROWS = 5
TRACED = 1e-3  # relative, of a row's sum: the module in which rows meet first is looked for, not judged


def measure_row_influence(setup: StepSetup, batch: Any) -> RowInfluence:
    """Four forward passes of a few rows in evaluation mode."""
    with restore_afterwards(setup.model, others=setup.also_restore), torch.no_grad():
        setup.model.eval()
        call = ModelCall(setup, batch)
        rows = call.few_rows(ROWS)
        if len(rows) < 3:
            raise NotApplicable("it needs three rows: one to change, and two to identify the batch dimension")
        try:
            fewer = call.outputs(rows=rows[:-1])
            with record_modules(setup.model, _row_sums(len(rows))) as usual:
                before = call.outputs(rows=rows)
            again = call.outputs(rows=rows)
            with record_modules(setup.model, _row_sums(len(rows))) as other:
                after = call.outputs(_other_first_row, rows)
        except Exception as error:
            raise NotApplicable(f"some of its rows do not run alone ({type(error).__name__})") from error
        if not same_outputs(before, again):
            raise NotApplicable(
                "the model keeps state between forward passes: the same rows have different outputs in the second"
            )
        found = _compared(before, after, fewer, len(rows))
        labels = labels_or_none(setup.labels_of, batch)
        labelled = isinstance(labels, torch.Tensor) and labels.dim() > 0 and len(labels) == call.rows
        module, kind = _first_difference(usual, other)
        return replace(found, labelled=labelled, module=module, kind=kind)


def _other_first_row(name: str, value: torch.Tensor) -> torch.Tensor:
    """The first row is the last row."""
    if value.dim():
        value[0] = value[-1]
    return value


def _compared(before: list[Any], after: list[Any], fewer: list[Any], rows: int) -> RowInfluence:
    found = RowInfluence(rows, 0, 0, 0.0, 0.0)
    if len(before) != len(after) or len(before) != len(fewer):
        raise NotApplicable("the number of output tensors depends on the rows")
    for one, other, less in zip(before, after, fewer, strict=True):
        if not one.dim() or one.shape != other.shape or not _is_by_row(one, less, rows):
            continue
        moved = (one[1:].float() - other[1:].float()).reshape(len(one) - 1, -1).abs().amax(1)
        if not bool(torch.isfinite(moved).all()):
            continue
        change = moved / (float(one.float().std(correction=0)) + 1e-12)
        eps, largest = torch.finfo(one.dtype).eps, float(change.max())
        worse = largest > found.change
        found = replace(
            found,
            compared=found.compared + 1,
            change=max(found.change, largest),
            changed=int((change > 100 * eps).sum()) if worse else found.changed,
            eps=max(found.eps, eps),
        )
    if not found.compared:
        raise NotApplicable("no output of the model has one entry per row")
    return found


def _is_by_row(whole: torch.Tensor, less: torch.Tensor, rows: int) -> bool:
    """Its first axis follows the number of rows, and no other does: similarities of all rows do so twice."""
    if whole.dim() != less.dim() or whole.numel() == 0 or whole.shape[0] != rows or less.shape[0] != rows - 1:
        return False
    return whole.shape[1:] == less.shape[1:]


def _row_sums(rows: int) -> Any:
    def sums(values: Any) -> list[torch.Tensor]:
        """Of every float tensor that begins with the rows, two sums for each row."""
        found = [leaf.float().flatten(1) for leaf in _leaves(values) if leaf.dim() > 1 and len(leaf) == rows]
        return [torch.stack((leaf.sum(1), leaf.abs().sum(1))) for leaf in found]

    return sums


def _leaves(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in iter_leaves(values) if leaf.is_floating_point()]


def _first_difference(usual: list[HookedCall], other: list[HookedCall]) -> tuple[str, str]:
    for one, two in zip(usual, other, strict=False):
        if one.name != two.name or len(one.outputs) != len(two.outputs):
            return "", ""
        for before, after in zip(one.outputs, two.outputs, strict=True):
            if bool(((before - after)[:, 1:].abs() > TRACED * before[1:, 1:]).any()):
                return one.name or "the model itself", one.kind
    return "", ""
