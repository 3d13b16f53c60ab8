"""Makes a loaded model compute like a fresh one, else a resumed run would drift by rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainer.models.bundle import ModelBundle


def make_bit_exact(bundle: ModelBundle) -> None:
    """Make a loaded model bit-exact with a fresh one: own storages, no cache, original requires_grad."""
    # Weights lie in memory as they lie in the file, and sums over memory of another alignment round differently.
    for value in (*bundle.model.parameters(), *bundle.model.buffers()):
        value.data = value.data.clone()
    # Training caches no keys; transformers says so to the outer configuration only, and saves that.
    for module in bundle.model.modules():
        config: Any = getattr(module, "config", None)
        if hasattr(config, "use_cache"):
            config.use_cache = False
    # from_pretrained makes every parameter trainable, also Whisper's sinusoids, which are not learnt.
    bundle.train_encoder(not bundle.config.model.freeze_encoder)
