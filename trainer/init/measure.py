"""What a new configuration needs to know of the data: where the clips are, how long they are, how long the texts."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from diagnose.common.errors import InputError
from diagnose.common.progress import progress
from trainer.data.audio.errors import MISSING, AudioError
from trainer.data.audio.load import audio_info
from trainer.data.table import FILE, LINE, Row

AUDIO_FOLDERS = ("", "clips", "audio", "wav", "wavs")
LOOKED_AT = 20  # rows by which the folder of the clips is found
SHORTEST, LONGEST = 0.1, 30.0  # seconds; Whisper's window is 30 s, and nothing is said in a tenth


@dataclass
class MeasuredRows:
    """The rows that can be trained on, the length of each, and why others are left out, with the first such row."""

    rows: list[Row] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, reason: str, row: Row) -> None:
        self.left_out.setdefault(reason, []).append(place_of(row))


def place_of(row: Row) -> str:
    return f"{row[FILE]}, line {row[LINE]}"


def audio_root(rows: Sequence[Row], folders: Sequence[Path]) -> Path:
    """The folder that the audio paths are relative to: the one beneath which most of the first rows have a file."""
    paths = [Path(row["audio_path"].strip()) for row in rows]
    if all(path.is_absolute() for path in paths):
        shared = Path(os.path.commonpath([path.parent for path in paths]))
        inside = [folder for folder in folders if shared.is_relative_to(folder.resolve())]
        return (inside or [shared])[0]
    candidates = list(dict.fromkeys(folder / name for folder in folders for name in AUDIO_FOLDERS))
    return max(candidates, key=lambda folder: sum((folder / path).is_file() for path in paths[:LOOKED_AT]))


def measure(rows: Sequence[Row], root: Path, texts: Sequence[str]) -> MeasuredRows:
    """Open the header of every clip; refuses the data if one is missing or cannot be read."""
    found, errors = MeasuredRows(), list[tuple[Row, AudioError]]()
    with ThreadPoolExecutor() as pool, progress("audio headers", len(rows)) as advance:
        for row, seconds in zip(rows, pool.map(lambda row: _seconds(row, root), rows), strict=True):
            advance()
            if isinstance(seconds, AudioError):
                errors.append((row, seconds))
            elif not all(row[name].strip() for name in texts):
                found.leave_out("an empty text", row)
            elif not SHORTEST <= seconds <= LONGEST:
                found.leave_out(f"less than {SHORTEST:g} s" if seconds < LONGEST else f"more than {LONGEST:g} s", row)
            else:
                found.rows.append({**row, "duration": f"{seconds:.3f}"})
                found.seconds.append(seconds)
    if errors:
        raise InputError(_refusal(errors, root, len(rows)))
    return found


def _seconds(row: Row, root: Path) -> float | AudioError:
    try:
        return audio_info(row["audio_path"].strip(), root).seconds
    except AudioError as error:
        return error


def _refusal(errors: Sequence[tuple[Row, AudioError]], root: Path, rows: int) -> str:
    row, error = errors[0]
    others = f"{len(errors)} of {rows} rows are like this" if len(errors) > 1 else "the other rows are in order"
    if error.rule == MISSING:
        what = f"found the audio path {row['audio_path']!r}, expected a file of that name beneath {root}"
        return f"{place_of(row)}: {what}; correct the path, or remove the row ({others})"
    return f"{place_of(row)}: found that {error.what}, expected audio; {error.remedy or 'replace it'} ({others})"
