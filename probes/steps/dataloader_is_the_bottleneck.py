from statistics import median

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import WINDOW

LEAST, WARMING = 10, 2  # records; the first batches wait for workers to start
SHARE = 0.5  # more than half of the time nothing is computed: without waiting the run would take less than half
SECONDS = 0.02  # a wait that a person could notice in a run of a thousand steps


@probe(id="STP023", stage=Stage.STEPS, severity=Severity.WARNING)
def dataloader_is_the_bottleneck(records: Records) -> Findings:
    """The DataLoader is the bottleneck: steps wait for data longer than they compute."""
    rows = [row for row in records.rows[-WINDOW:] if row.loading_seconds is not None and row.seconds]
    kept = rows[WARMING:]
    if len(kept) < LEAST:
        return
    waits = median(row.loading_seconds or 0.0 for row in kept)
    share = median((row.loading_seconds or 0.0) / (row.seconds or 1.0) for row in kept)
    if share <= SHARE or waits < SECONDS:
        return
    yield step_finding(
        records,
        kept[-1].step,
        f"{share:.0%} of a step is waiting for data: {waits:.3g} s of {median(r.seconds or 0.0 for r in kept):.3g} s",
        "raise num_workers of the DataLoader, and compute features once instead of at every step",
        share=share,
        waiting=waits,
    )
