from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts

ROWS = 10**9


class HugeDataset:
    """As many rows as one likes, none of them twice in memory."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> Any:
        if index >= ROWS:
            raise IndexError(index)
        return self.items[index % len(self.items)]


def _right(told: Any) -> dict[str, float]:
    """The share of labels that have the highest score."""
    said = told.predictions[0] if isinstance(told.predictions, tuple) else told.predictions
    said = said.argmax(-1) if said.ndim > told.label_ids.ndim else said
    width = min(said.shape[1], told.label_ids.shape[1])
    labels = told.label_ids[:, :width]
    return {"right": float((said[:, :width] == labels)[labels != -100].mean())}


@fault(
    "an evaluation of a large set gathers the scores of every token",
    "GEN017",
    lambda facts: "trainer" in facts and len(facts["trainer"].eval_dataset) == ROWS,
    ("whisper", "e2e", "mt5"),
)
def scores_all_kept(facts: Facts) -> Facts:
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    from probes.subjects.corpus_files import folder

    arguments = Seq2SeqTrainingArguments(
        str(folder()), max_steps=100, per_device_train_batch_size=4, remove_unused_columns=False, use_cpu=True,
        report_to="none", gradient_accumulation_steps=1,
    )  # fmt: skip
    items = [facts["train_dataset"][number] for number in range(36)]
    data: dict[str, Any] = {
        "train_dataset": items[:24],
        "eval_dataset": HugeDataset(items[24:]),
        "compute_metrics": _right,
    }
    return {"trainer": Seq2SeqTrainer(facts["model"], arguments, facts["collate"], **data)}
