"""Small probes for the engine's own tests, and a third party's package installed for real."""

from diagnose import Finding, Severity, Stage
from diagnose.common.provider import facts_needed
from diagnose.engine.decorators import Probe
from diagnose.engine.engine import engine_of
from diagnose.engine.providers import ProviderPlan
from diagnose.engine.runner import ALL
from diagnose.engine.user_facts import nearest


def probe_of(id, look, explains=(), severity=Severity.ERROR, title="Something is wrong."):
    """A probe of any id whose stage is read from its prefix."""
    stage = next(stage for stage in Stage if id.startswith(stage.prefix))
    look.__name__, look.__doc__ = f"probe_{id.lower()}", title
    return Probe(id, stage, severity, tuple(explains), look)


def finds(id, explains=(), severity=Severity.ERROR, wheres=("batch 0",)):
    """A probe that finds something in every model."""

    def look(model):
        for where in wheres:
            message = f"measured 3 at {where}, expected 0"
            yield Finding(where, message, "put it right", {"measured": 3}, file="c.yaml", line=7)

    return probe_of(id, look, explains, severity)


def passes(id):
    """A probe that looks and finds nothing."""
    return probe_of(id, lambda model: ())


def examine(probes, providers=(), selection=ALL, **facts):
    engine = engine_of(probes, providers)
    return engine.examine(engine.context(facts or {"model": 1}), selection)


def install(folder, files, entry_points):
    """A package on the path with its metadata, as pip would leave it."""
    metadata = {
        "extra_pack-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: extra-pack\nVersion: 1.0\n",
        "extra_pack-1.0.dist-info/entry_points.txt": entry_points,
    }
    for name, text in {**files, **metadata}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def unknown_facts(probes, providers):
    """Every fact that a probe or provider asks for and nobody can give, one sentence each, with the nearest name."""
    known = ProviderPlan((), providers).known
    askers = [(probe.name, probe.check) for probe in probes] + [(p.source, p.function) for p in providers]
    return [
        f"{asker} asks for the fact {fact!r}, which nobody provides{nearest(fact, known)}"
        for asker, function in askers
        for fact in facts_needed(function).all
        if fact not in known
    ]
