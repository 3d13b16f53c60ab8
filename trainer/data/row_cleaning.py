"""Cleaning of one row of a manifest: its new texts, or why it is removed."""

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
    """The texts to clean, those that may not be empty, and the audio settings (None: text only)."""

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
    """A row after cleaning; `removed` names the rule that removed it, "" if it stays.

    `seconds` and `rate` are those of the audio header, `stated` is the duration as the manifest gives it.
    """

    row: Row
    changed: frozenset[str] = frozenset()
    removed: str = ""
    reason: str = ""
    seconds: float = 0.0
    rate: int = 0
    stated: str = ""


def clean_row(row: Row, requirements: RowRequirements) -> CleanedRow:
    """Clean the texts, then check the audio."""
    cleaned, changed = dict(row), set[str]()
    for name in requirements.texts:
        cleaned[name], used = clean(row[name])
        changed |= used
    for name in requirements.needed:
        if not cleaned[name]:
            return CleanedRow(row, removed=f"empty {name}", reason=f"nothing is left of the {name} {row[name]!r}")
    if requirements.audio is None:
        return CleanedRow(cleaned, frozenset(changed))
    cleaned["audio_path"] = row["audio_path"].strip()
    return _check_audio(row, cleaned, changed, requirements.root, requirements.audio)


def _check_audio(row: Row, cleaned: Row, changed: set[str], root: Path, audio: Audio) -> CleanedRow:
    path = cleaned["audio_path"]
    try:
        info = check_audio(path, root, audio.sample_rate)
    except AudioError as error:
        return CleanedRow(row, removed=error.rule, reason=error.message)
    seconds = info.seconds
    if seconds < audio.min_length_seconds:
        reason = f"{printable_path(path)} has {seconds:.3f} s, expected at least {audio.min_length_seconds:g} s"
        return CleanedRow(row, removed=SHORT, reason=reason)
    if seconds > audio.max_length_seconds:
        reason = (
            f"{printable_path(path)} has {seconds:.3f} s and would be cut at {audio.max_length_seconds:g} s, but its "
            "text would not"
        )
        return CleanedRow(row, removed=LONG, reason=reason)
    changes = frozenset(changed | _set_duration(cleaned, seconds))
    return CleanedRow(cleaned, changes, seconds=seconds, rate=info.rate, stated=row.get("duration", ""))


def _set_duration(row: Row, seconds: float) -> set[str]:
    """Replace a missing or wrong duration by the measured one; the rule that did so."""
    duration = duration_of(row)
    if duration is not None and abs(duration - seconds) <= TOLERANCE:
        return set()
    rule = CORRECT if row.get("duration", "").strip() else FILL
    row["duration"] = f"{seconds:.3f}"
    return {rule}
