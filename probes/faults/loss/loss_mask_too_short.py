import inspect
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


def _shorten_frames(model: Any, inputs: Any, named: dict[str, Any]) -> Any:
    """As if the subsampling took three steps where it takes two."""
    return inputs, {**named, "feat_lens": named["feat_lens"] * 2 // 3}


def _shorten_mask(module: Any, inputs: Any, named: dict[str, Any]) -> Any:
    mask = named.get("encoder_attention_mask")
    return inputs, {**named, "encoder_attention_mask": None if mask is None else _cut(mask)}


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
    model = facts["model"]
    model.short_mask = True
    if "feat_lens" in inspect.signature(model.forward).parameters:
        model.register_forward_pre_hook(_shorten_frames, with_kwargs=True)
    elif type(model).__name__ == "SpeechEncoderDecoderModel":
        usual = model.encoder._get_feature_vector_attention_mask
        model.encoder._get_feature_vector_attention_mask = lambda *inputs, **named: _cut(usual(*inputs, **named))
    else:
        model.decoder.register_forward_pre_hook(_shorten_mask, with_kwargs=True)
    return facts
