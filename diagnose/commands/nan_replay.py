"""A recorded step made once more: is its loss the same, and where does the bad value come from?"""

from math import isnan
from typing import Any

from diagnose.common.errors import InputError
from diagnose.terminal import terminal


def replay_recording(replay: Any, precision: str | None, module: str | None) -> int:
    """Prints what came of it; the exit code."""
    from diagnose import api
    from diagnose.render.nan_origin import origin_lines
    from diagnose.render.progress import preflight_progress

    precision = precision or replay.precision
    if module is not None:
        print_operations(replay.facts(replay.micro_batches[0], precision), module, precision)
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
    if micro.loss is None:
        return head + "no loss"
    if precision != replay.precision:
        return head + f"in {precision}; the run was in {replay.precision}"
    now = replay.loss(micro)
    same = now == micro.loss or (isnan(now) and isnan(micro.loss))
    return head + (f"loss {now!r}, bit-identical" if same else f"loss {now!r}, recorded was {micro.loss!r}")


def print_operations(facts: dict[str, Any], module: str, precision: str, number: int | None = None) -> None:
    """Every operation inside one module."""
    from diagnose.engine.context import FactError
    from diagnose.engine.engine import installed
    from diagnose.render.nan_origin import operation_lines

    how = {"module": module, "precision": precision, "number": number}
    try:
        found = installed().context({**facts, "nan_search_options": how}).get("operations_inside")
    except FactError as refusal:
        raise InputError(f"--drill-down {module}: {refusal.reason}") from refusal
    terminal.print_result("\n".join(operation_lines(module, found)))
