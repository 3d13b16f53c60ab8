"""The configuration of a run: `load(path, overrides)` gives a Resolved, whose `.config` has every value."""

from trainer.config.layers import Source
from trainer.config.load import Resolved, load
from trainer.config.schema import Config

__all__ = ["Config", "Resolved", "Source", "load"]
