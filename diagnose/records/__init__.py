"""What a run has logged, as plain data."""

from diagnose.records.record import Record, Said
from diagnose.records.records import Log, Records, Series

__all__ = ["Log", "Record", "Records", "Said", "Series"]
