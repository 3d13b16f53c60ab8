"""The model section: which architecture, pretrained or from random weights."""

from typing import Any, Literal

from pydantic import model_validator

from trainer.config.field_types import Count, Section, Share, Text

Task = Literal["transcribe", "translate", "both", "summarize"]
LABEL_LENGTHS = {"whisper": 448, "e2e": 256, "hybrid": 256, "mt5": 128}
PRETRAINED = {"whisper": "openai/whisper-small", "mt5": "google/mt5-small"}


class RandomInit(Section):
    """Sizes of a model that starts from random weights: nothing is downloaded."""

    hidden: Count = 96
    layers: Count = 2
    decoder_layers: Count = 1
    heads: Count = 4
    ffn: Count = 384
    dropout: Share = 0.1
    vocabulary: Literal["characters"] | Count = "characters"
    conv_channels: Count = 64
    conv_kernel: Count = 15
    conv_norm: Literal["group", "layer"] = "group"


class Model(Section):
    """The model; defaults depend on its type, see with_type_defaults."""

    type: Literal["whisper", "e2e", "hybrid", "mt5"] = "whisper"
    name: Text | None = None
    tokenizer: Text | None = None  # a local directory or a hub name; null: that of the model
    language: Text = "vi"
    task: Task = "both"
    encoder: Text | None = None
    decoder: Text | None = None
    add_adapter: bool = True
    freeze_encoder: bool = False
    freeze_feature_encoder: bool = False
    ctc_weight: Share = 0.0
    chunk_size: Count | None = None  # encoder frames in a chunk; null: the whole utterance at once
    max_label_length: Count = 448
    max_source_length: Count = 512
    source_prefix: str = ""
    random: RandomInit | None = None

    @model_validator(mode="before")
    @classmethod
    def _follow_type(cls, values: Any) -> Any:
        return with_type_defaults(values) if isinstance(values, dict) else values


def with_type_defaults(values: dict[str, Any]) -> dict[str, Any]:
    """Adds the defaults that depend on model.type and on whether the weights are random."""
    kind, pretrained = values.get("type", "whisper"), values.get("random") is None
    if kind not in [*LABEL_LENGTHS]:  # a list also takes what has no hash
        return values
    follows: dict[str, Any] = {
        "task": "summarize" if kind == "mt5" else "both",
        "max_label_length": LABEL_LENGTHS[kind],
        "ctc_weight": 0.3 if kind == "hybrid" else 0.0,
        "freeze_feature_encoder": kind == "e2e" and pretrained,
    }
    if pretrained and kind in PRETRAINED:
        follows["name"] = PRETRAINED[kind]
    return {**follows, **values}
