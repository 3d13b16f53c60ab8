"""Trainers of transformers with a fault, handed over in place of single facts."""

from typing import Any

from probes.faults.kit.changes import Facts

USUAL = {"max_steps": 100, "use_cpu": True, "report_to": "none", "per_device_train_batch_size": 4}


def trainer_facts(facts: Facts, keywords: dict[str, Any], **arguments: Any) -> Facts:
    """A Seq2SeqTrainer of the subject with these keywords and training arguments, as the only fact."""
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    from probes.subjects.corpus_files import folder

    settings: Any = Seq2SeqTrainingArguments(str(folder()), **{**USUAL, "remove_unused_columns": False, **arguments})
    return {"trainer": Seq2SeqTrainer(facts["model"], settings, facts["collate"], **keywords)}


def first_items(facts: Facts) -> list[Any]:
    return [facts["train_dataset"][number] for number in range(36)]
