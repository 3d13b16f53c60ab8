"""The configuration of a run: `load(path, overrides)` returns a Resolved with all values in `.config`."""

from trainer.config.layers import Source
from trainer.config.load import Resolved, load
from trainer.config.schema import Config

__all__ = ["Config", "Resolved", "Source", "load"]
