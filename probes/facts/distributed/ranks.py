"""Runs every process of a group: it builds, draws, steps, evaluates, and notes down its results."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch

from diagnose.common.forked_workers import WorkerFailure
from probes.facts.core.failure import failure_of
from probes.facts.core.model_output import NoLoss
from probes.facts.core.types import Failure
from probes.facts.distributed.hang_watch import LATE, STOOD, WAITED
from probes.facts.distributed.process_group import LIMIT, run_in_group
from probes.facts.distributed.rank_batches import batches_of
from probes.facts.distributed.rank_notes import RankNotes, crash_message, stuck_line
from probes.facts.distributed.rank_setup import RankSetup, call_rank_facts, rank_setup
from probes.facts.distributed.rank_steps import steps_of
from probes.facts.distributed.types import PHASES, Rank, Ranks, RankStop
from probes.facts.generation.steering import SteeredGeneration

RankFacts = Callable[[int, int], Any]
EACH = 8  # tokens more in each process than in the one before, as texts of other lengths have them
SPEAKING = 30.0  # seconds of one generation


def measure_ranks(rank_facts: RankFacts, processes: int) -> Ranks:
    found = run_in_group(partial(_run_phases, rank_facts, processes), processes, PHASES[-1])
    return Ranks(tuple(_rank(notes, broken) for notes, broken in found))


def _run_phases(rank_facts: RankFacts, processes: int, rank: int, notes: RankNotes) -> None:
    """Phase by phase, and into the next one only together."""
    setup: Any = None
    batches: list[Any] = []
    phase = PHASES[0]
    try:
        facts = call_rank_facts(rank_facts, rank, processes)
        named = facts if isinstance(facts, Mapping) else {"trainer": facts}
        setup = rank_setup(named, getattr(rank_facts, "aware", True))
        notes.leave(phase, {"prepared": setup.prepared})
        for phase, work in zip(PHASES[1:], (_draw, _step, _evaluate), strict=True):
            others = notes.together(PHASES[PHASES.index(phase) - 1], processes, LIMIT)
            if others is None:
                return
            notes.leave(phase, work(setup, batches, rank, others))
    except Exception as error:
        failure = failure_of(error, getattr(setup, "inner", None), phase)
        notes.leave("stop", RankStop(rank, phase, "raised", failure, time.monotonic()))


def _draw(setup: RankSetup, batches: list[Any], rank: int, others: list[Any]) -> dict[str, Any]:
    if setup.batches is None:
        return {"untried": {"drawing": "not given: train_batches"}}
    found, drawn = batches_of(setup.batches)
    batches += drawn
    return {"batches": found}


def _step(setup: RankSetup, batches: list[Any], rank: int, others: list[Any]) -> dict[str, Any]:
    counts = [other["batches"].count if "batches" in other else 0 for other in others]
    if setup.model is None or not all(counts):
        missing = "not given: model" if setup.model is None else "a process has no batch"
        return {"untried": {"step": missing}}
    try:
        return {"steps": steps_of(setup, batches)}
    except NoLoss as reason:
        return {"untried": {"step": str(reason)}}
    except AttributeError as error:
        if setup.prepared or "DistributedDataParallel" not in str(error):
            raise
        return {
            "untried": {
                "step": f"the model is not wrapped yet, and compute_loss does not accept a wrapped model: {error}"
            }
        }


def _evaluate(setup: RankSetup, batches: list[Any], rank: int, others: list[Any]) -> dict[str, Any]:
    if setup.evaluate is None:
        return {"untried": {"evaluation": "not given: evaluate"}}
    evaluate(setup, rank)
    return {"evaluated": True}


def evaluate(setup: RankSetup, rank: int) -> None:
    """The run's own evaluation, whose generations end after another number of tokens in each process."""
    assert setup.evaluate is not None
    special, length = setup.special, EACH * (rank + 1)
    end, classes = (getattr(special, name, None) for name in ("end", "vocabulary"))
    if end is None:
        return setup.evaluate()
    word = next(number for number in range(10_000) if number not in {*special.padding, *special.ends, special.start})
    model, known = setup.inner or torch.nn.Module(), classes or 0
    with SteeredGeneration(model, 2 * length, SPEAKING, [[word] * length], end, known, emit_end=True):
        setup.evaluate()


def _rank(notes: RankNotes, broken: WorkerFailure | None) -> Rank:
    left = [notes.left[phase] for phase in PHASES if phase in notes.left]
    untried = {phase: reason for note in left for phase, reason in note.get("untried", {}).items()}
    values = {name: value for note in left for name, value in note.items() if name != "untried"}
    return Rank(notes.rank, **values, untried=untried, stop=_stop(notes, broken) or notes.left.get("stop"))


def _stop(notes: RankNotes, broken: WorkerFailure | None) -> RankStop | None:
    """How a process stopped that could not say so itself: its position is read from its stack."""
    phase = next((phase for phase in PHASES if phase not in notes.left), None)
    if broken is None or phase is None:
        return None
    how = {WAITED: "waited", STOOD: "waited", LATE: "late"}.get(broken.reason, "died")
    crash = crash_message(notes.crash)
    message = f"{broken.reason}, saying: {crash}" if crash else broken.reason
    return RankStop(
        notes.rank, phase, how, Failure(phase, how, message, line=stuck_line(notes.crash), trace=notes.crash)
    )
