"""Anything that a dataset may hold, as a numpy array."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def as_array(value: Any) -> np.ndarray | None:
    """None for text, mappings and what numpy refuses."""
    if value is None or isinstance(value, str | bytes | Mapping):
        return None
    try:
        return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    except Exception:  # whatever a dataset may hold
        return None
