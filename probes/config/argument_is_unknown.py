from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.hf_arguments import ArgumentNames
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG001", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("CFG*",))
def argument_is_unknown(argument_names: ArgumentNames) -> Findings:
    """A training argument is unknown to the installed transformers: renamed, removed or misspelled."""
    version = argument_names.version
    for name in argument_names.unknown:
        if name.removed and name.now:
            yield setting_finding(name.place, f"transformers {version} renamed it to {name.now}", f"write {name.now}")
        elif name.removed:
            yield setting_finding(name.place, f"transformers {version} removed it without a replacement", "remove it")
        elif name.nearest:
            said = f"transformers {version} does not know it; nearest: {name.nearest}"
            yield setting_finding(name.place, said, f"write {name.nearest}, or remove it", Severity.WARNING)
        else:
            said = f"transformers {version} does not know it, and no known argument is similar"
            yield setting_finding(name.place, said, "do not pass it to TrainingArguments", Severity.NOTE)
