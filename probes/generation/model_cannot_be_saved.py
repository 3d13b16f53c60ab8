from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.saving.types import SavedModel

CURES = (
    ("generationconfig", "put the setting that is named right in model.generation_config"),
    ("generation", "put the setting that is named right in model.generation_config"),
    ("share memory", "name the shared tensors in _tied_weights_keys, or save with safetensors.torch.save_model"),
    ("shared", "name the shared tensors in _tied_weights_keys, or save with safetensors.torch.save_model"),
    ("json", "keep in the configuration only what JSON can hold"),
)


@probe(id="GEN018", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN019",))
def model_cannot_be_saved(saved_model: SavedModel) -> Iterator[Finding]:
    """The model cannot be saved, or its checkpoint cannot be loaded again."""
    failure = saved_model.failure
    if failure is None:
        return
    file, _, line = failure.line.rpartition(":")
    text = failure.message.lower()
    yield Finding(
        where=saved_model.way if saved_model.phase == "saving" else f"{saved_model.way}, read again",
        message=f"{failure}; expected a checkpoint at step 0 that can be read",
        fix=next(
            (cure for word, cure in CURES if word in text), f"save this model once by hand and mend {saved_model.phase}"
        ),
        measured={"error": failure.error, "phase": saved_model.phase, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
