"""Looks at every process of a group from inside: it builds, draws, steps and evaluates, and notes down what it sees."""

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


def look_at_ranks(rank_facts: RankFacts, processes: int) -> Ranks:
    found = run_in_group(partial(_look, rank_facts, processes), processes, PHASES[-1])
    return Ranks(tuple(_rank(notes, broken) for notes, broken in found))


def _look(rank_facts: RankFacts, processes: int, rank: int, notes: RankNotes) -> None:
    """Phase by phase, and into the next one only together."""
    scene: Any = None
    batches: list[Any] = []
    phase = PHASES[0]
    try:
        facts = call_rank_facts(rank_facts, rank, processes)
        named = facts if isinstance(facts, Mapping) else {"trainer": facts}
        scene = rank_setup(named, getattr(rank_facts, "aware", True))
        notes.leave(phase, {"prepared": scene.prepared})
        for phase, work in zip(PHASES[1:], (_draw, _step, _evaluate), strict=True):
            others = notes.together(PHASES[PHASES.index(phase) - 1], processes, LIMIT)
            if others is None:
                return
            notes.leave(phase, work(scene, batches, rank, others))
    except Exception as error:
        model = getattr(scene, "inner", None) or torch.nn.Module()
        notes.leave("stop", RankStop(rank, phase, "raised", failure_of(error, model, phase), time.monotonic()))


def _draw(scene: RankSetup, batches: list[Any], rank: int, others: list[Any]) -> dict[str, Any]:
    if scene.batches is None:
        return {"untried": {"drawing": "not given: train_batches"}}
    found, drawn = batches_of(scene.batches)
    batches += drawn
    return {"batches": found}


def _step(scene: RankSetup, batches: list[Any], rank: int, others: list[Any]) -> dict[str, Any]:
    counts = [other["batches"].count if "batches" in other else 0 for other in others]
    if scene.model is None or not all(counts):
        missing = "not given: model" if scene.model is None else "a process has no batch to step with"
        return {"untried": {"step": missing}}
    try:
        return {"steps": steps_of(scene, batches)}
    except NoLoss as reason:
        return {"untried": {"step": str(reason)}}
    except AttributeError as error:
        if scene.prepared or "DistributedDataParallel" not in str(error):
            raise
        return {
            "untried": {"step": f"the model is not wrapped yet, and compute_loss does not take one that is: {error}"}
        }


def _evaluate(scene: RankSetup, batches: list[Any], rank: int, others: list[Any]) -> dict[str, Any]:
    if scene.evaluate is None:
        return {"untried": {"evaluation": "not given: evaluate"}}
    evaluate(scene, rank)
    return {"evaluated": True}


def evaluate(scene: RankSetup, rank: int) -> None:
    """The run's own evaluation, whose generations end after another number of tokens in each process."""
    assert scene.evaluate is not None
    special, length = scene.special, EACH * (rank + 1)
    end, classes = (getattr(special, name, None) for name in ("end", "vocabulary"))
    if end is None:
        return scene.evaluate()
    word = next(number for number in range(10_000) if number not in {*special.padding, *special.ends, special.start})
    model, known = scene.inner or torch.nn.Module(), classes or 0
    with SteeredGeneration(model, 2 * length, SPEAKING, [[word] * length], end, known, gentle=True):
        scene.evaluate()


def _rank(notes: RankNotes, broken: WorkerFailure | None) -> Rank:
    left = [notes.left[phase] for phase in PHASES if phase in notes.left]
    untried = {phase: reason for note in left for phase, reason in note.get("untried", {}).items()}
    values = {name: value for note in left for name, value in note.items() if name != "untried"}
    return Rank(notes.rank, **values, untried=untried, stop=_stop(notes, broken) or notes.left.get("stop"))


def _stop(notes: RankNotes, broken: WorkerFailure | None) -> RankStop | None:
    """Of a process that could not say it itself: where it stood is read from its stack."""
    phase = next((phase for phase in PHASES if phase not in notes.left), None)
    if broken is None or phase is None:
        return None
    how = {WAITED: "waited", STOOD: "waited", LATE: "late"}.get(broken.reason, "died")
    said = crash_message(notes.crash)
    message = f"{broken.reason}, saying: {said}" if said else broken.reason
    return RankStop(
        notes.rank, phase, how, Failure(phase, how, message, line=stuck_line(notes.crash), trace=notes.crash)
    )
