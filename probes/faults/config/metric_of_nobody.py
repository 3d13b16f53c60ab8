from typing import Any

from diagnose import fault
from probes.faults.kit.changes import THEIRS, Facts


def _metric(facts: Facts) -> Any:
    return facts["trainer"].args.metric_for_best_model if "trainer" in facts else None


@fault("the best model is chosen by a metric that nobody computes", "CFG007", lambda f: _metric(f) == "wer", THEIRS)
def metric_of_nobody(facts: Facts) -> Facts:
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    from probes.subjects.corpus_files import folder

    how: dict[str, Any] = {"metric_for_best_model": "wer", "greater_is_better": False, "remove_unused_columns": False}
    arguments = Seq2SeqTrainingArguments(
        str(folder()), max_steps=100, save_strategy="no", eval_strategy="steps", eval_steps=25,
        per_device_train_batch_size=4, use_cpu=True, report_to="none", **how,
    )  # fmt: skip
    items = [facts["train_dataset"][number] for number in range(36)]
    data: dict[str, Any] = {"train_dataset": items[:24], "eval_dataset": items[24:]}
    return {"trainer": Seq2SeqTrainer(facts["model"], arguments, facts["collate"], **data)}
