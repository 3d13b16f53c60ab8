"""A recorded step made once more: is its loss the same, and where was the bad value born?"""

from math import isnan
from pathlib import Path
from typing import Any

from diagnose import api
from diagnose.terminal import terminal


def replay_recording(recording: Path, precision: str | None, module: str | None) -> int:
    """Tells what came of it; the exit code."""
    from diagnose.cli import replay_of
    from diagnose.commands.nan_bisect import operation_lines, origin_lines
    from diagnose.render.progress import preflight_progress

    replay = replay_of(recording)
    precision = precision or replay.precision
    if module is not None:
        facts = replay.facts(replay.micro_batches[0], precision)
        terminal.print_result("\n".join(operation_lines(facts, module, precision)))
        return 0
    for number, micro in enumerate(replay.micro_batches):
        terminal.print_result(_compared(replay, number, micro, precision))
        facts = {**replay.facts(micro, precision), "optimizer": replay.optimizer, "names": micro.files}
        with preflight_progress() as watcher:
            origin = api.nan_bisect(**facts, precision=precision, watcher=watcher)
        if origin is not None:
            terminal.print_result("\n".join(origin_lines(origin)))
            if origin.phase == "data" and (met := replay.first_nonfinite_module(micro)):
                terminal.print_result(f"module     {met}, the first that it reaches")
            return 1
    terminal.print_result(f"every value is finite in {precision}: all batches of step {replay.step}")
    return 0


def _compared(replay: Any, number: int, micro: Any, precision: str) -> str:
    head = f"step {replay.step}, batch {number} of {len(replay.micro_batches)}: "
    if precision != replay.precision or micro.loss is None:
        return (
            head + f"in {precision}; the run was in {replay.precision}" if micro.loss is not None else head + "no loss"
        )
    now = replay.loss(micro)
    same = now == micro.loss or (isnan(now) and isnan(micro.loss))
    return head + (f"loss {now!r}, the same to the last bit" if same else f"loss {now!r}, recorded was {micro.loss!r}")
