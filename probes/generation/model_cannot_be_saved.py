from diagnose import Findings, Severity, Stage, probe
from probes.facts.saving.types import SavedModel
from probes.reporting.failure_finding import failure_finding


@probe(id="GEN018", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN019",))
def model_cannot_be_saved(saved_model: SavedModel) -> Findings:
    """The model cannot be saved, or its checkpoint cannot be loaded again."""
    failure = saved_model.failure
    if failure is None:
        return
    where = saved_model.way if saved_model.phase == "saving" else f"{saved_model.way}, loaded again"
    message = f"{failure}; expected a checkpoint that can be loaded"
    fix = f"save this model once and fix {saved_model.phase}"
    yield failure_finding(failure, "save", where, message, fix, phase=saved_model.phase)
