from typing import Any

from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.hf_trainers import first_items, trainer_facts

ROWS = 10**9


class HugeDataset:
    """As many rows as one likes, few of them in memory, and hardly two alike."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> Any:
        if index >= ROWS:
            raise IndexError(index)
        again, number = divmod(index, len(self.items))
        item = self.items[number]
        if "document" in item:
            texts = sorted({item["document"] for item in self.items})
            digits = [index // len(texts) ** place % len(texts) for place in range(5)]
            return item | {"document": " ".join(texts[digit] for digit in digits)}
        return item | {"audio": item["audio"] * (1 - 1e-4 * (again % 1000))}


def _accuracy(results: Any) -> dict[str, float]:
    """The share of labels that have the highest score."""
    tokens = results.predictions[0] if isinstance(results.predictions, tuple) else results.predictions
    tokens = tokens.argmax(-1) if tokens.ndim > results.label_ids.ndim else tokens
    width = min(tokens.shape[1], results.label_ids.shape[1])
    labels = results.label_ids[:, :width]
    return {"right": float((tokens[:, :width] == labels)[labels != -100].mean())}


@fault(
    "an evaluation of a large set gathers the scores of every token",
    "GEN017",
    lambda facts: "trainer" in facts and len(facts["trainer"].eval_dataset) == ROWS,
    HF_MODELS,
)
def scores_all_kept(facts: Facts) -> Facts:
    items = first_items(facts)
    datasets = {"train_dataset": items[:24], "eval_dataset": HugeDataset(items[24:])}
    return trainer_facts(facts, {**datasets, "compute_metrics": _accuracy}, gradient_accumulation_steps=1)
