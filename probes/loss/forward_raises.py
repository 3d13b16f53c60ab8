from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.steps import Failure, FirstStep

# What an error's text gives away about its cause, and the one thing to do about it.
CURES = (
    ("index out of range", "resize the embeddings to the tokenizer, or use the tokenizer that belongs to the model"),
    ("unexpected keyword", "return only keys that forward takes: drop the extra one in the collator"),
    ("missing", "return the key that forward asks for from the collator"),
    ("same device", "move the batch and every part of the model to one device"),
    ("out of memory", "halve the batch size and double gradient_accumulation_steps"),
    ("same dtype", "give weights and batch one dtype: float32, with autocast around the forward pass"),
    ("exceed", "cut or drop what is longer than the model's position table"),
    ("channels", "build features with the extractor of this very model: mel bins and channels must agree"),
    ("shape", "make the sizes on both sides of this module agree"),
    ("size", "make the sizes on both sides of this module agree"),
)


@probe(id="LOS003", stage=Stage.LOSS, severity=Severity.ERROR, explains=("DAT049",))
def forward_raises(first_step: FirstStep) -> Iterator[Finding]:
    """The model or its loss function raises on the first batch."""
    failure = first_step.failure
    if failure is None or failure.phase not in ("forward pass", "loss function"):
        return
    file, _, line = failure.line.rpartition(":")
    yield Finding(
        where=failure.module or "compute_loss",
        message=f"{failure}; expected one number that can be walked back",
        fix=_cure(failure),
        measured={"error": failure.error, "module": failure.module, "shapes": failure.shapes, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )


def _cure(failure: Failure) -> str:
    if failure.phase == "loss function":
        return "return the loss as a tensor with one element, still attached to the graph"
    text = failure.message.lower()
    default = f"run this one batch by hand and mend {failure.line or 'the forward pass'}"
    return next((cure for words, cure in CURES if words in text), default)
