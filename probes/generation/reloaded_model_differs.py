from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.saving.types import SavedModel

SAME = 1e-4  # of the loss; saving changes no bit, and float32 sums in another order stay below


@probe(id="GEN019", stage=Stage.GENERATION, severity=Severity.ERROR)
def reloaded_model_differs(saved_model: SavedModel) -> Findings:
    """The model differs after saving and reloading, because its checkpoint is incomplete."""
    saved = saved_model
    if saved.failure is not None:
        return
    moved = saved.change is not None and saved.change > SAME
    lost = saved.missing or saved.unexpected or saved.changed
    if saved.missing and saved.way == "state_dict":
        yield _finding(
            saved.missing[0],
            f"{len(saved.missing)} trainable tensors are plain attributes of the model and missing from its state_dict",
            "register them as nn.Parameter, nn.ModuleList or nn.ModuleDict instead of a list or dict",
            saved,
        )
    elif moved or saved.changed:
        groups = (saved.missing, "missing"), (saved.unexpected, "not loaded"), (saved.changed, "changed")
        named = [f"{len(names)} {word} ({names[0]})" for names, word in groups if names]
        change = f"the loss of the first batch changes by {saved.change:.2g}" if moved else "weights differ"
        yield _finding(
            next(iter(lost), saved.way),
            f"after saving and loading, {change}, expected the same; "
            + (", ".join(named) or "every tensor is equal: the difference is not part of the checkpoint"),
            "make the class and its config build every part of the model, including buffers",
            saved,
            Severity.WARNING if saved.unexpected else None,  # whoever adds parts by hand may add them again by hand
        )
    elif saved.settings:
        message = f"{len(saved.settings)} generation settings change, expected 0"
        fix = "set it on model.generation_config, not on model.config"
        yield _finding(f"generation_config.{saved.settings[0]}", message, fix, saved, Severity.NOTE)


def _finding(where: str, message: str, fix: str, saved: SavedModel, severity: Severity | None = None) -> Finding:
    measured = {"change": saved.change, "missing": len(saved.missing), "unexpected": len(saved.unexpected)}
    return Finding(where=where, message=message, fix=fix, measured=measured, severity=severity)
