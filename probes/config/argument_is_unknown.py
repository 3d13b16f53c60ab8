from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.argument_types import ArgumentNames
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG001", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("CFG*",))
def argument_is_unknown(argument_names: ArgumentNames) -> Findings:
    """A training argument is unknown to the installed transformers: renamed, removed or misspelled."""
    version = argument_names.version
    for name in argument_names.unknown:
        if name.removed and name.now:
            yield setting_finding(
                name.place, f"transformers {version} has it under another name: {name.now}", f"write {name.now}"
            )
        elif name.removed:
            yield setting_finding(
                name.place, f"transformers {version} has dropped it, and nothing took its place", "remove it"
            )
        elif name.nearest:
            said = f"transformers {version} does not know it; nearest: {name.nearest}"
            yield setting_finding(name.place, said, f"write {name.nearest}, or remove it", Severity.WARNING)
        else:
            said = f"transformers {version} does not know it, and nothing it knows is like it"
            yield setting_finding(name.place, said, "keep it out of what TrainingArguments is given", Severity.NOTE)
