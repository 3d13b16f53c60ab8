from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


def _unmade(facts: Facts) -> bool:
    trainer = facts.get("trainer")
    if trainer is None or trainer.label_smoother is None:
        return False
    return "decoder_input_ids" not in trainer.data_collator([trainer.train_dataset[0]])


@fault(
    "the Trainer smooths labels and takes them from the model, and nobody has made decoder inputs of them",
    "LOS003",
    _unmade,
    ("mt5", "whisper", "e2e"),
)
def smoothing_without_decoder_inputs(facts: Facts) -> Facts:
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    from probes.subjects.corpus_files import folder

    arguments = Seq2SeqTrainingArguments(
        str(folder()), max_steps=100, per_device_train_batch_size=4, remove_unused_columns=False, use_cpu=True,
        report_to="none", save_strategy="no", label_smoothing_factor=0.1,
    )  # fmt: skip
    items: Any = [facts["train_dataset"][number] for number in range(36)]
    return {"trainer": Seq2SeqTrainer(facts["model"], arguments, facts["collate"], train_dataset=items)}
