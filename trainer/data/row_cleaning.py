"""One row of a manifest: what cleaning makes of it, and whether it may stay."""

from dataclasses import dataclass
from pathlib import Path

from trainer.config.schema import Audio
from trainer.data.audio.errors import AUDIO_RULES, AudioError, printable_path
from trainer.data.audio.load import check_audio
from trainer.data.manifest import Row, duration_of
from trainer.data.text_cleaning import RULES, clean

TOLERANCE = 0.02  # seconds; a manifest that rounds to hundredths is right
FILL, CORRECT, SHORT, LONG = "fill in duration", "correct duration", "too short", "too long"


@dataclass(frozen=True)
class RowRequirements:
    """What rows are held to: the texts to clean, those that may not be empty, and the audio (None: text alone)."""

    texts: tuple[str, ...]
    needed: tuple[str, ...]
    root: Path = Path()
    audio: Audio | None = None

    @property
    def changes(self) -> tuple[str, ...]:
        """The names of the rules that may change a row."""
        return (*RULES, FILL, CORRECT) if self.audio else tuple(RULES)

    @property
    def removals(self) -> tuple[str, ...]:
        """The names of the rules that may remove a row."""
        return (*(f"empty {name}" for name in self.needed), *((*AUDIO_RULES, SHORT, LONG) if self.audio else ()))


@dataclass(frozen=True)
class CleanedRow:
    """A row after cleaning. `removed` names the rule that took it out; empty when it stays."""

    row: Row
    changed: frozenset[str] = frozenset()
    removed: str = ""
    reason: str = ""
    seconds: float = 0.0


def clean_row(row: Row, demands: RowRequirements) -> CleanedRow:
    """Clean the texts, then look at the audio."""
    cleaned, changed = dict(row), set[str]()
    for name in demands.texts:
        cleaned[name], used = clean(row[name])
        changed |= used
    for name in demands.needed:
        if not cleaned[name]:
            return CleanedRow(row, removed=f"empty {name}", reason=f"nothing is left of the {name} {row[name]!r}")
    if demands.audio is None:
        return CleanedRow(cleaned, frozenset(changed))
    cleaned["audio_path"] = row["audio_path"].strip()
    return _judge_audio(row, cleaned, changed, demands.root, demands.audio)


def _judge_audio(row: Row, cleaned: Row, changed: set[str], root: Path, audio: Audio) -> CleanedRow:
    path = cleaned["audio_path"]
    try:
        seconds = check_audio(path, root, audio.sample_rate).seconds
    except AudioError as error:
        return CleanedRow(row, removed=error.rule, reason=error.message)
    if seconds < audio.min_length_seconds:
        reason = f"{printable_path(path)} has {seconds:.3f} s, expected at least {audio.min_length_seconds:g} s"
        return CleanedRow(row, removed=SHORT, reason=reason)
    if seconds > audio.max_length_seconds:
        reason = (
            f"{printable_path(path)} has {seconds:.3f} s and would be cut at {audio.max_length_seconds:g} s, its text "
            "not"
        )
        return CleanedRow(row, removed=LONG, reason=reason)
    return CleanedRow(cleaned, frozenset(changed | _set_duration(cleaned, seconds)), seconds=seconds)


def _set_duration(row: Row, seconds: float) -> set[str]:
    """The measured duration takes the place of one that is missing or wrong."""
    said = duration_of(row)
    if said is not None and abs(said - seconds) <= TOLERANCE:
        return set()
    rule = CORRECT if row.get("duration", "").strip() else FILL
    row["duration"] = f"{seconds:.3f}"
    return {rule}
