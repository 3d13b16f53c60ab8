"""The loss with the ids that the tokenizer gives, and with the same ids dealt out anew to the tokens."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import named_values
from probes.facts.core.batches import copy_batch
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.tokenizer.types import RenumberedIds

DRAWS, BATCHES = 16, 4
IDS = ("input_ids", "decoder_input_ids", "labels")


def compare_renumbered(setup: StepSetup, batches: Sequence[Any], rows: int, special: frozenset[int]) -> RenumberedIds:
    """In evaluation mode. Special tokens keep their ids; every other id of the vocabulary gets another token's."""
    batches, rng = batches[:BATCHES], np.random.default_rng(0)
    free = np.array([number for number in range(rows) if number not in special])
    with restore_afterwards(setup.model, others=setup.also_restore), torch.no_grad():
        setup.model.eval()
        own = _loss(setup, batches, np.arange(rows))
        dealt = [_loss(setup, batches, _renumbering(rows, free, rng)) for _ in range(DRAWS)]
    if not np.isfinite([own, *dealt]).all():
        raise NotApplicable("the loss is not finite")
    return RenumberedIds(own, float(np.mean(dealt)), float(np.std(dealt)), rows)


def _renumbering(rows: int, free: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    table = np.arange(rows)
    table[free] = free[rng.permutation(len(free))]
    return table


def _loss(setup: StepSetup, batches: Sequence[Any], table: np.ndarray) -> float:
    pass_counter.count_passes(pass_counter.FORWARD * len(batches))
    changed = [_renumber(setup, copy_batch(batch), torch.from_numpy(table)) for batch in batches]
    return float(np.mean([float(setup.compute_loss(setup.model, batch)) for batch in changed]))


def _renumber(setup: StepSetup, batch: Any, table: torch.Tensor) -> Any:
    named = [value for name, value in named_values(batch) if name in IDS]
    for value in {id(leaf): leaf for leaf in iter_leaves([*named, setup.labels_of(batch)])}.values():
        if value.dtype in (torch.long, torch.int) and value.dim() == 2:
            known = (value >= 0) & (value < len(table))
            value.copy_(torch.where(known, table.to(value.device)[value.clamp(0, len(table) - 1)], value))
    return batch
