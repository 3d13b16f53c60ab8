"""A full preflight of each demo configuration: what every stage costs, in seconds and in passes, and what it says."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import diagnose
from diagnose import Severity
from tests.bench.report import Measured
from trainer.demo.corpus import make_corpus
from trainer.demo.run import MODELS, settings
from trainer.pipeline.steps import data_step


def measure(model: str, seed: int = 0) -> Measured:
    """On the whole demo corpus. The first stage also pays for loading transformers and building the model."""
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(Path(folder), seed)
        resolved = settings(model, seed, Path(folder))
        data_step(resolved.config)
        report = diagnose.preflight(config=resolved)
    alarms = [finding.probe for finding in report.findings if finding.severity is not Severity.NOTE]
    figures = {
        "verdict": str(report.verdict),
        "alarms": len(alarms),
        "seconds": {str(cost.stage): round(cost.seconds, 2) for cost in report.costs},
        "passes": {str(cost.stage): round(cost.passes, 2) for cost in report.costs},
        "seconds_in_all": round(report.elapsed, 2),
    }
    return Measured(figures, "once")


MEASUREMENTS = {model: partial(measure, model) for model in MODELS}
