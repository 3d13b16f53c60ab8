"""All audio files of a corpus as an audit measures them: in shards, kept by content, compared with each other."""

from collections.abc import Sequence

from diagnose.audit.types import AuditPlan
from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.audio.file_record import FileRecords
from probes.facts.audio.types import AudioPresence, SameSounds
from probes.facts.corpus.types import CorpusRow


@provider
def audit_plan() -> AuditPlan:
    """Given by `diagnose data`: how all files are measured."""
    raise NotApplicable("only an audit measures every file")


@provider
def recorded_files(audio_rows: Sequence[CorpusRow], audit_plan: AuditPlan) -> FileRecords:
    """What was measured of every file, or of those of one shard."""
    from probes.facts.audio.audit_records import audit_records
    from probes.facts.corpus.row_table import paths_of

    return FileRecords(audit_records([path for path in paths_of(audio_rows) if path], audit_plan))


@provider
def audio_presence(audio_rows: Sequence[CorpusRow], recorded_files: FileRecords | None = None) -> AudioPresence:
    """Which files are not there; in an audit, as it was where they were measured."""
    from probes.facts.audio.recorded_files import absent

    if recorded_files is not None:
        return absent(audio_rows, recorded_files.records)
    looked = [row for row in audio_rows if row.path is not None]
    return AudioPresence(len(looked), tuple(row for row in looked if row.size is None))


@provider
def same_sounds(recorded_files: FileRecords) -> SameSounds:
    """Files whose sound another one has, whatever the format; in an audit only."""
    from probes.facts.audio.file_record import is_there
    from probes.facts.audio.same_sounds import same_sounds

    there = frozenset(name for name, record in recorded_files.records.items() if is_there(record))
    return SameSounds(same_sounds(recorded_files.records), there)
