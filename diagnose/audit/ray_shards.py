"""Shards on a Ray cluster; one is started on this machine where no address is given."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

from diagnose.common.errors import InputError, short_error
from diagnose.common.forked_workers import WorkerFailure

AHEAD = 2  # shards for each worker that are handed out and not yet done


def run_on_ray(
    address: str, jobs: int, work: Callable[[Any], Any], shards: list[Any]
) -> Iterator[tuple[Any, Any | WorkerFailure]]:
    """Each shard with its result, as it ends; a WorkerFailure where its worker died."""
    ray = _started(address, jobs)

    def measure(shard: Any) -> Any:
        return work(shard)

    task = ray.remote(max_retries=0)(measure)  # what failed is done again by the caller, in halves
    waiting, running = list(reversed(shards)), dict[Any, Any]()
    most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    while waiting or running:
        while waiting and len(running) < most:
            shard = waiting.pop()
            running[task.remote(shard)] = shard
        for done in ray.wait(list(running), num_returns=1)[0]:
            shard = running.pop(done)
            try:
                yield shard, ray.get(done)
            except (ray.exceptions.RaySystemError, ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
                yield shard, WorkerFailure("its worker died")
            except ray.exceptions.RayTaskError as error:
                yield shard, WorkerFailure(short_error(error.cause), trace=str(error))


def _started(address: str, jobs: int) -> Any:
    try:
        import ray
    except ImportError:
        raise InputError("--ray needs the package ray: run `pip install 'gonogo[ray]'`") from None
    if ray.is_initialized():
        return ray
    try:
        if address:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        else:
            quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
            ray.init(num_cpus=max(1, jobs), include_dashboard=False, **quiet)
    except Exception as error:  # a node that does not start in time raises a plain Exception
        raise InputError(f"--ray {address}: no cluster answers ({short_error(error)}); check the address") from error
    return ray
