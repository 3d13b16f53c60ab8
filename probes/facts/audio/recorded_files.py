"""Audio files made of records when they are asked for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from diagnose.audit.result_store import default_store
from probes.facts.audio.audit_records import known_records
from probes.facts.audio.decode_files import decode_rows, file_of_row, scan_file
from probes.facts.audio.file_record import is_there, unpack
from probes.facts.audio.types import AudioFile, AudioPresence
from probes.facts.corpus.row_table import paths_of
from probes.facts.corpus.types import CorpusRow


class RecordedFiles(Sequence[AudioFile]):
    """The file of each row, with what was measured of it."""

    def __init__(self, rows: Sequence[CorpusRow], records: Mapping[str, bytes]) -> None:
        self.rows, self.records = rows, records

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> AudioFile: ...
    @overload
    def __getitem__(self, index: slice) -> "RecordedFiles": ...
    def __getitem__(self, index: int | slice) -> "AudioFile | RecordedFiles":
        if isinstance(index, slice):
            return RecordedFiles(self.rows[index], self.records)
        return self._file(self.rows[index])

    def __iter__(self) -> Iterator[AudioFile]:
        return map(self._file, self.rows)

    def _file(self, row: CorpusRow) -> AudioFile:
        return file_of_row(row, scan_file(None) if row.path is None else unpack(self.records[row.path]))


def decode_unknown(rows: Sequence[CorpusRow]) -> tuple[AudioFile, ...]:
    """The file of each row: from the results of an audit where it has not changed since, decoded where it has."""
    known = known_records([row.path for row in rows if row.path], default_store())
    decoded = iter(decode_rows([row for row in rows if row.path not in known]))
    return tuple(file_of_row(row, unpack(known[row.path])) if row.path in known else next(decoded) for row in rows)


def absent(rows: Sequence[CorpusRow], records: Mapping[str, bytes]) -> AudioPresence:
    """The rows whose file is not there."""
    paths = paths_of(rows)
    looked = sum(path is not None for path in paths)
    gone = [n for n, path in enumerate(paths) if path is not None and not is_there(records[path])]
    return AudioPresence(looked, tuple(rows[number] for number in gone))
