"""Runs the work on shards of names: here, in forked workers or on a Ray cluster, with the same result on each.

A shard whose worker died is done again, in halves; the name that kills its worker twice is reported as such.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from diagnose.audit.types import AuditPlan, Measured, Work
from diagnose.common.errors import InputError
from diagnose.common.forked_workers import WorkerFailure, run_forked

LARGEST, SMALLEST = 512, 16  # names of a shard: a second or so, and not many more shards than workers
SHARDS_PER_WORKER = 8
SECONDS = 24 * 3600.0  # of one shard
TRIES = 2  # of a name that is alone in its shard

Shard = Sequence[str]
Outcomes = Iterator[tuple[Shard, list[Measured] | WorkerFailure]]
Crashed = Callable[[str], Measured]  # what is said of a name that kills its worker


def run_shards(work: Work, crashed: Crashed, names: Shard, plan: AuditPlan) -> Iterator[list[Measured]]:
    """The results of each shard as it ends; together there is one for each name."""
    store, shards = str(plan.store or ""), _shards(names, plan.jobs)
    tries: Counter[str] = Counter()
    while shards:
        failed: list[Shard] = []
        for shard, outcome in _engine(plan)(partial(_run, work, store), shards):
            if not isinstance(outcome, WorkerFailure):
                yield outcome
            elif outcome.trace:
                raise InputError(f"a worker of the audit raised {outcome.reason}; please report it")
            else:
                failed.append(shard)
        tries.update(shard[0] for shard in failed if len(shard) == 1)
        yield from ([crashed(shard[0])] for shard in failed if tries[shard[0]] >= TRIES)
        shards = [half for shard in failed if tries[shard[0]] < TRIES for half in _split_in_two(shard)]


def _shards(names: Shard, workers: int) -> list[Shard]:
    size = min(LARGEST, max(SMALLEST, -(-len(names) // (SHARDS_PER_WORKER * workers))))
    return [names[start : start + size] for start in range(0, len(names), size)]


def _split_in_two(shard: Shard) -> list[Shard]:
    middle = -(-len(shard) // 2)
    return [half for half in (shard[:middle], shard[middle:]) if half]


def _run(work: Work, store: str, shard: Shard) -> list[Measured]:
    return work(shard, store)


def _engine(plan: AuditPlan) -> Callable[[Callable[[Shard], list[Measured]], list[Shard]], Outcomes]:
    if plan.ray is not None:
        from diagnose.audit.ray_shards import run_on_ray

        return partial(run_on_ray, plan.ray, plan.jobs)
    return partial(_run_forked, plan.jobs) if plan.jobs > 1 else _run_here


def _run_here(work: Callable[[Shard], list[Measured]], shards: list[Shard]) -> Outcomes:
    return ((shard, work(shard)) for shard in shards)


def _run_forked(jobs: int, work: Callable[[Shard], list[Measured]], shards: list[Shard]) -> Outcomes:
    calls = {number: partial(work, shard) for number, shard in enumerate(shards)}
    return ((shards[number], result) for number, result in run_forked(calls, jobs, seconds=SECONDS))
