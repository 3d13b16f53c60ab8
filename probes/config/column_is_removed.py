from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.hf_arguments import RemovedColumns
from probes.facts.settings.types import SettingLocation
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG002", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("DAT003", "DAT022", "LAB*", "LOS*"))
def column_is_removed(removed_columns: RemovedColumns) -> Findings:
    """The Trainer removes a column that the collator needs, because forward() does not accept it."""
    if not removed_columns.error:
        return
    gone = ", ".join(removed_columns.removed)
    yield setting_finding(
        SettingLocation("training_arguments.remove_unused_columns"),
        f"the collator raises {removed_columns.error} without {gone}; {removed_columns.model}.forward accepts only "
        f"{', '.join(removed_columns.used) or 'none of the columns'}",
        "set remove_unused_columns=False",
        removed=gone,
        line=removed_columns.line,
    )
