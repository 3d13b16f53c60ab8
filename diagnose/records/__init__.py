"""What a run has logged, as plain data."""

from diagnose.records.record import GeneratedText, Record
from diagnose.records.records import RecordLog, Records, Series

__all__ = ["GeneratedText", "Record", "RecordLog", "Records", "Series"]
