"""The stages parameters and placement on facts, and what they found."""

import torch

import diagnose
from diagnose import Status

STAGES = ("parameters", "placement")


def looked(**facts):
    report = diagnose.preflight(stages=STAGES, **facts)
    assert not [o for o in report.outcomes if o.status in (Status.BLOCKED, Status.CRASHED)], report.outcomes
    return report


def found(report, *severities):
    severities = severities or ("error", "warning")
    return [(f.probe, f.where) for f in report.findings if f.severity in severities]


def adamw(model, **settings):
    return torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=1e-3, **settings)
