"""Clips whose header gives a wrong sample rate: their durations in the manifest are evidence, and stay."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from diagnose.common.sample_rates import ROWS, rate_by_duration
from trainer.data.manifest import duration_of
from trainer.data.row_cleaning import CORRECT, CleanedRow

# Of the rows with a wrong duration. Where clips were cut again, 1 % fit one certain rate by chance: its window is 2 %
# wide, and the durations are spread over a factor of e^2.
SHARE = 0.1

log = logging.getLogger(__name__)


def keep_durations(rows: Sequence[CleanedRow]) -> list[CleanedRow]:
    """The rows, with the duration of the manifest where it fits another usual sample rate; warns of these clips."""
    wrong = [index for index, row in enumerate(rows) if CORRECT in row.changed]
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for index in wrong:
        if rate := _rate(rows[index]):
            groups[rows[index].rate, rate].append(index)
    kept = list(rows)
    for (header, rate), members in groups.items():
        if len(members) >= max(ROWS, SHARE * len(wrong)):
            _warn(rows[members[0]].row["audio_path"], len(members), header, rate)
            for index in members:
                kept[index] = _with_own_duration(rows[index])
    return kept


def _rate(row: CleanedRow) -> int | None:
    seconds = duration_of({"duration": row.stated})
    return rate_by_duration(row.rate, row.seconds, seconds) if seconds else None


def _with_own_duration(row: CleanedRow) -> CleanedRow:
    return replace(row, row=row.row | {"duration": row.stated}, changed=row.changed - {CORRECT})


def _warn(path: str, count: int, header: int, rate: int) -> None:
    log.warning(
        "%d clips, such as %s, have %d Hz in the header, but their samples last as long as the manifest says only at "
        "%d Hz; these durations are kept: write the files again with %d Hz in the header",
        count, path, header, rate, rate,
    )  # fmt: skip
