"""A model that was read from files is made equal to one that was not, else a resumed run would drift by rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainer.models.bundle import ModelBundle


def make_bit_exact(parts: ModelBundle) -> None:
    """Bit by bit in all it will compute: where its weights lie, what it caches, which of them are learnt."""
    # Weights lie in memory as they lie in the file, and sums over memory of another alignment round differently.
    for value in (*parts.model.parameters(), *parts.model.buffers()):
        value.data = value.data.clone()
    # Training caches no keys; transformers says so to the outer configuration only, and saves that.
    for module in parts.model.modules():
        if hasattr(getattr(module, "config", None), "use_cache"):
            module.config.use_cache = False
    # from_pretrained makes every parameter trainable, also Whisper's sinusoids, which are not learnt.
    parts.train_encoder(not parts.config.model.freeze_encoder)
