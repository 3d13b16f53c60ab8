"""The gradients stage on facts, and what it found."""

import torch
from torch import nn

import diagnose
from probes.healthy import healthy


def look(facts):
    return diagnose.preflight(select=["GRD*"], **facts)


def told(report):
    return [(f.probe, f.severity.value) for f in report.findings]


def alarms(report):
    return [(f.probe, f.where, f.message) for f in report.findings if f.severity != "note"]


def classifying(model, optimizer=torch.optim.AdamW, lr=1e-3, **facts):
    return healthy("classifier") | {"model": model, "optimizer": optimizer(model.parameters(), lr=lr)} | facts


class Between(nn.Module):
    """Something between two layers."""

    def __init__(self, inner):
        super().__init__()
        self.before, self.inner, self.after = nn.Linear(12, 24), inner, nn.Linear(24, 5)

    def forward(self, x):
        return self.after(self.inner(self.before(x)))
