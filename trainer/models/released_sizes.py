"""Sizes of the released models that configurations name, so that a model can be laid out without its weights.

Read from the config.json that is published with each of them; only what differs from transformers' defaults.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError

# width, layers of each side, heads; the feed-forward layers are four times as wide
WHISPERS = {
    "tiny": (384, 4, 6), "base": (512, 6, 8), "small": (768, 12, 12), "medium": (1024, 24, 16),
    "large": (1280, 32, 20), "large-v2": (1280, 32, 20), "large-v3": (1280, 32, 20),
}  # fmt: skip
# width, width of the feed-forward layers, layers of each side, heads
MT5S = {"small": (512, 1024, 8, 6), "base": (768, 2048, 12, 12), "large": (1024, 2816, 24, 16)}
WAV2VEC2_LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
MBART_LARGE = {
    "vocab_size": 250054, "d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "max_position_embeddings": 1024,
    "dropout": 0.1, "attention_dropout": 0.0, "activation_dropout": 0.0, "scale_embedding": True,
}  # fmt: skip
PAIRS: dict[str, dict[str, Any]] = {
    "facebook/wav2vec2-base": {"activation_dropout": 0.0},
    "facebook/wav2vec2-large-xlsr-53": {
        **WAV2VEC2_LARGE, "feat_extract_norm": "layer", "conv_bias": True, "do_stable_layer_norm": True,
        "activation_dropout": 0.0, "mask_time_prob": 0.075,
    },
    "facebook/mbart-large-50": MBART_LARGE,
    "facebook/mbart-large-50-many-to-many-mmt": MBART_LARGE,
    "facebook/mbart-large-cc25": {**MBART_LARGE, "vocab_size": 250027},
}  # fmt: skip

_sizes_only: ContextVar[bool] = ContextVar("sizes_only", default=False)


@contextmanager
def without_weights() -> Iterator[None]:
    """Inside, models are laid out on the meta device: no file of weights is read, the network is not used."""
    import torch

    token = _sizes_only.set(True)
    try:
        with torch.device("meta"):
            yield
    finally:
        _sizes_only.reset(token)


def reads_no_weights() -> bool:
    """Whether `without_weights` is active."""
    return _sizes_only.get()


def settings_of(kind: Any, name: str, key: str) -> Any:
    """The configuration of a local directory, of the cache, or of the table above."""
    with suppress(OSError, ValueError):
        return kind.from_pretrained(str(Path(name).expanduser()), local_files_only=True)
    sizes = _published(name)
    if sizes is None:
        raise InputError(
            f"{key}: the sizes of {name} are not known here, and it is neither a directory nor in the cache; use a "
            "local directory with a config.json, or a released Whisper, Wav2Vec2, mBART or mT5"
        )
    return kind(**sizes)


def _published(name: str) -> dict[str, Any] | None:
    family, _, size = name.partition("whisper-")
    if family == "openai/" and size in WHISPERS:
        return _whisper(*WHISPERS[size], newest=size == "large-v3")
    family, _, size = name.partition("mt5-")
    if family == "google/" and size in MT5S:
        return _mt5(*MT5S[size])
    return PAIRS.get(name)


def _whisper(width: int, layers: int, heads: int, newest: bool) -> dict[str, Any]:
    sides = {
        f"{side}_{part}": value
        for side in ("encoder", "decoder")
        for part, value in (("layers", layers), ("attention_heads", heads), ("ffn_dim", 4 * width))
    }
    return {"d_model": width, "vocab_size": 51866 if newest else 51865, "num_mel_bins": 128 if newest else 80, **sides}


def _mt5(width: int, ffn: int, layers: int, heads: int) -> dict[str, Any]:
    return {
        "vocab_size": 250112, "d_model": width, "d_kv": 64, "d_ff": ffn, "num_layers": layers, "num_heads": heads,
        "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "decoder_start_token_id": 0,
    }  # fmt: skip
