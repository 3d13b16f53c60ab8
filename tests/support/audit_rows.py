"""Rows in memory, as long as those of the demo."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch.utils.data import Dataset

from tests.support.small_runs import ToneSet, sentence


class Clips(ToneSet):
    """Noise as long as the demo's sentences: 1 to 6 seconds, most of them about 2."""

    def lengths(self) -> list[float]:
        drawn = np.random.default_rng(0).lognormal(0.8, 0.35, self.rows)
        return [float(value) for value in np.clip(drawn, 1.0, 6.0)]


class Texts(Dataset):
    """Documents of two to seven sentences."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> dict[str, Any]:
        document = " ".join(sentence(index, salt) for salt in range(2 + index % 6))
        return {"document": document, "summary": sentence(index), "id": f"memory:{index}"}

    def lengths(self) -> list[float]:
        return [float(len(self[index]["document"])) for index in range(self.rows)]

    def texts(self) -> list[str]:
        return [self[index]["document"] for index in range(self.rows)]
