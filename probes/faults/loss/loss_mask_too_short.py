import inspect
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


def _shortened(model: Any) -> None:
    model.short_mask = True
    kind = type(model).__name__
    if "feat_lens" in inspect.signature(model.forward).parameters:
        model.register_forward_pre_hook(_fewer_frames, with_kwargs=True)
    elif kind == "SpeechEncoderDecoderModel":
        usual = model.encoder._get_feature_vector_attention_mask
        model.encoder._get_feature_vector_attention_mask = lambda *given, **named: _cut(usual(*given, **named))
    else:
        model.decoder.register_forward_pre_hook(_less_of_the_encoder, with_kwargs=True)


def _fewer_frames(model: Any, given: Any, named: dict[str, Any]) -> Any:
    """As if the subsampling took three steps where it takes two."""
    return given, {**named, "feat_lens": named["feat_lens"] * 2 // 3}


def _less_of_the_encoder(module: Any, given: Any, named: dict[str, Any]) -> Any:
    mask = named.get("encoder_attention_mask")
    return given, {**named, "encoder_attention_mask": None if mask is None else _cut(mask)}


def _cut(mask: Any) -> Any:
    """Of every row, the last third of what it lets through."""
    lengths = mask.long().sum(-1, keepdim=True)
    return (mask.long().cumsum(-1) <= lengths * 2 // 3).to(mask.dtype) * mask


@fault(
    "the mask over the encoder's frames is computed with the wrong stride: the end of every row is shut out",
    "LOS014",
    lambda facts: getattr(facts["model"], "short_mask", False),
    ("hybrid", "e2e", "mt5"),
)
def loss_mask_too_short(facts: Facts) -> Facts:
    _shortened(facts["model"])
    return facts
