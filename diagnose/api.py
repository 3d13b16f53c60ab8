"""The entry for people with a trainer of their own: facts in, Report out."""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnose.conduct import conduct
from diagnose.errors import InputError
from diagnose.nouns import Stage
from diagnose.report import Report
from diagnose.roots import nearest
from diagnose.runner import Selection


def preflight(
    *,
    stages: Sequence[str] = (),
    select: Sequence[str] = (),
    ignore: Mapping[str, str] | None = None,
    everything: bool = False,
    **facts: Any,
) -> Report:
    """Looks at whatever facts are given (see diagnose.roots); `ignore` maps a probe's id to the reason.

    Report and receipt are written where the fact `digest_inputs` says; without it, nothing is.
    """
    for stage in stages:
        if stage not in list(Stage):
            raise InputError(f"there is no stage {stage!r}{nearest(stage, Stage)}")
    selection = Selection(tuple(map(Stage, stages)), tuple(select), dict(ignore or {}), everything)
    return conduct(facts, selection).report
