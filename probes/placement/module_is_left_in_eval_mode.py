from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.placement.types import EvalModeModule


@probe(id="PLC005", stage=Stage.PLACEMENT, severity=Severity.WARNING, explains=("LOS025", "LRN*", "GEN*"))
def module_is_left_in_eval_mode(eval_mode_modules: tuple[EvalModeModule, ...]) -> Findings:
    """A trainable module is left in eval mode, so its dropout is off and its batch norm is fixed."""
    for part in eval_mode_modules:
        if not part.trainable or not (part.dropouts or part.norms):
            continue  # what is frozen belongs in evaluation mode, and the rest behaves alike in both
        # Batch norm on the statistics of an earlier training is a known recipe; on none it does not normalise.
        alarming = part.dropouts or part.fresh_norms
        yield Finding(
            where=part.name,
            message=f"it is in eval mode while the model trains, with {_held(part)} and {part.trainable:,} trainable "
            "values",
            fix="call model.train() after the call that sets this module to eval mode, or freeze it",
            measured={"dropouts": part.dropouts, "norms": part.norms, "trainable": part.trainable},
            severity=None if alarming else Severity.NOTE,
        )


def _held(part: EvalModeModule) -> str:
    norms = f"{part.norms} batch norms ({part.fresh_norms} without statistics)" if part.norms else ""
    return " and ".join(filter(None, [f"{part.dropouts} dropouts" if part.dropouts else "", norms]))
