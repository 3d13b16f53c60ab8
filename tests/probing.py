"""Small probes for the engine's own tests."""

from diagnose import Finding, Severity, Stage
from diagnose.engine import of
from diagnose.marks import Probe
from diagnose.nouns import PREFIXES


def probe_of(id, look, explains=(), severity=Severity.ERROR, title="Something is wrong."):
    """A probe of any id whose stage is read from its prefix."""
    stage = next(stage for stage, prefix in PREFIXES.items() if id.startswith(prefix))
    look.__name__, look.__doc__ = f"probe_{id.lower()}", title
    return Probe(id, Stage(stage), severity, tuple(explains), look)


def finds(id, explains=(), severity=Severity.ERROR, wheres=("batch 0",), fact="model"):
    """A probe that finds something wherever the fact is given."""

    def look(model):
        for where in wheres:
            yield Finding(
                where, f"measured 3 at {where}, expected 0", "put it right", {"measured": 3}, file="c.yaml", line=7
            )

    return probe_of(id, look, explains, severity)


def passes(id):
    """A probe that looks and finds nothing."""
    return probe_of(id, lambda model: ())


def examine(probes, providers=(), selection=None, **facts):
    engine = of(probes, providers)
    context = engine.context(facts or {"model": 1})
    return engine.examine(context, selection) if selection else engine.examine(context)
