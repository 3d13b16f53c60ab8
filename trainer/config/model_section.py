"""The model section: which architecture, pretrained or from random weights."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from trainer.config.field_types import Count, Section, Share, Text

Task = Literal["transcribe", "translate", "both", "summarize"]
LABEL_LENGTHS = {"whisper": 448, "e2e": 256, "hybrid": 256, "mt5": 128}
MOST_WIDTH = 65_536  # several times the widest published model
PRETRAINED = {"whisper": "openai/whisper-small", "mt5": "google/mt5-small"}


class RandomInit(Section):
    """Sizes of a model that starts from random weights: nothing is downloaded."""

    hidden: Count = Field(default=96, le=MOST_WIDTH, description="Width of the model. A multiple of heads.")
    layers: Count = Field(default=2, le=1000, description="Encoder layers.")
    decoder_layers: Count = Field(default=1, le=1000, description="Decoder layers.")
    heads: Count = Field(default=4, le=1024, description="Attention heads.")
    ffn: Count = Field(default=384, le=16 * MOST_WIDTH, description="Width of the feed-forward layers.")
    dropout: Share = Field(default=0.1, description="Fraction of activations that dropout zeroes in training.")
    vocabulary: Literal["characters"] | Annotated[Count, Field(le=10_000_000)] = Field(
        default="characters",
        description="The tokenizer, built from the training texts: characters, or the number of subword pieces.",
    )
    conv_channels: Count = Field(
        default=64, le=MOST_WIDTH, description="Channels of the convolutions before the encoder."
    )
    conv_kernel: Count = Field(default=15, le=1023, description="Kernel of the Conformer's convolution.")
    conv_norm: Literal["group", "layer"] = Field(
        default="group", description="Normalization in Wav2Vec2's convolutions (e2e)."
    )


class Model(Section):
    """The model; defaults depend on its type, see with_type_defaults."""

    type: Literal["whisper", "e2e", "hybrid", "mt5"] = Field(
        default="whisper",
        description="whisper; e2e: Wav2Vec2 with an mBART decoder; hybrid: Conformer with CTC and attention; mt5: "
        "text to text.",
    )
    name: Text | None = Field(
        default=None,
        description="Pretrained weights: a hub name or a local directory. Default: openai/whisper-small, "
        "google/mt5-small; none where model.random is given.",
    )
    tokenizer: Text | None = Field(
        default=None, description="A local directory or a hub name. null: the tokenizer of the model."
    )
    language: Text = Field(default="vi", description="Language code of the target texts (whisper, e2e).")
    task: Task = Field(
        default="both", description="transcribe, translate, both (each clip for both tasks), or summarize (mt5)."
    )
    encoder: Text | None = Field(default=None, description="Pretrained Wav2Vec2 encoder of e2e.")
    decoder: Text | None = Field(default=None, description="Pretrained mBART decoder of e2e.")
    add_adapter: bool = Field(default=True, description="Put Wav2Vec2's adapter, which shortens the frames, behind it.")
    freeze_encoder: bool = Field(default=False, description="Do not train the encoder.")
    freeze_feature_encoder: bool = Field(
        default=False, description="Do not train Wav2Vec2's convolutions. Default: true for pretrained e2e."
    )
    ctc_weight: Share = Field(
        default=0.0, description="Weight of the CTC loss, the rest is attention loss. Default: 0.3 for hybrid, else 0."
    )
    chunk_size: Count | None = Field(
        default=None, le=1_000_000, description="Encoder frames of a chunk (hybrid). null: the whole utterance at once."
    )
    max_label_length: Count = Field(
        default=448,
        le=1_000_000,
        description="Longer targets are cut to so many tokens. Default: 448, e2e and hybrid 256, mt5 128.",
    )
    max_source_length: Count = Field(
        default=512, le=10_000_000, description="Longer documents are cut to so many tokens (mt5)."
    )
    source_prefix: str = Field(default="", description="Text put before each document (mt5).")
    random: RandomInit | None = Field(
        default=None, description="Sizes of a model from random weights. null: pretrained weights."
    )

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
