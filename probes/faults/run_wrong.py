"""Settings of a run that make it unable to choose, to stop, to repeat or to resume."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, updates_of, with_arguments, with_fp16

BEST = {"eval_strategy": "steps", "load_best_model_at_end": True, "metric_for_best_model": "loss"}
TRAINED = ("whisper", "e2e", "mt5")


def _metric(facts: Facts) -> Any:
    return facts["trainer"].args.metric_for_best_model if "trainer" in facts else None


@fault(
    "metric_of_nobody",
    "the best model is chosen by a metric that nobody computes",
    "CFG007",
    lambda f: _metric(f) == "wer",
    TRAINED,
)
def metric_of_nobody(facts: Facts) -> Facts:
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    from probes.instruments.corpus_on_disk import folder

    how: dict[str, Any] = {"metric_for_best_model": "wer", "greater_is_better": False, "remove_unused_columns": False}
    arguments = Seq2SeqTrainingArguments(
        str(folder()), max_steps=100, save_strategy="no", eval_strategy="steps", eval_steps=25,
        per_device_train_batch_size=4, use_cpu=True, report_to="none", **how,
    )  # fmt: skip
    items = [facts["train_dataset"][number] for number in range(36)]
    data: dict[str, Any] = {"train_dataset": items[:24], "eval_dataset": items[24:]}
    return {"trainer": Seq2SeqTrainer(facts["model"], arguments, facts["collate"], **data)}


@fault(
    "layers_dropped_in_processes",
    "layer drop under checkpointing in two processes",
    "CFG011",
    lambda f: "checkpointed" in f,
)
def layers_dropped_in_processes(facts: Facts) -> Facts:
    from probes.measured.configuration import Checkpointed

    return {**facts, "checkpointed": Checkpointed(reentrant=False, layer_drop=0.1, processes=2)}


@fault(
    "evaluation_after_the_end",
    "evaluations come further apart than the run is long",
    "CFG013",
    lambda f: (argument(f, "eval_steps") or 0) > updates_of(f),
)
def evaluation_after_the_end(facts: Facts) -> Facts:
    beyond = 5 * updates_of(facts)
    return with_arguments(facts, **BEST, eval_steps=beyond, save_steps=beyond)


@fault(
    "patience_of_five",
    "early stopping waits for five evaluations of four",
    "CFG016",
    lambda f: argument(f, "early_stopping_patience") == 5,
)
def patience_of_five(facts: Facts) -> Facts:
    return with_arguments(facts, **BEST, eval_steps=updates_of(facts) // 4, early_stopping_patience=5)


@fault("seed_of_none", "the seed is set to nothing", "CFG017", lambda f: "seed" in f.get("training_arguments", {}))
def seed_of_none(facts: Facts) -> Facts:
    return {name: value for name, value in with_arguments(facts, seed=None).items() if name != "seed"}


@fault(
    "half_precision_without_gpu",
    "fp16 is asked for on a CPU",
    "CFG019",
    lambda f: f.get("precision") == "fp16",
    ("whisper", "hybrid", "classifier"),
)
def half_precision_without_gpu(facts: Facts) -> Facts:
    return with_fp16(facts, "cpu")


@fault(
    "cache_beside_checkpointing",
    "checkpointing turns the cache off",
    "CFG012",
    lambda f: argument(f, "gradient_checkpointing") is True,
    ("mt5",),
)
def cache_beside_checkpointing(facts: Facts) -> Facts:
    return with_arguments(facts, gradient_checkpointing=True)


@fault(
    "saved_after_the_end",
    "checkpoints come further apart than the run is long",
    "CFG014",
    lambda f: (argument(f, "save_steps") or 0) > updates_of(f),
)
def saved_after_the_end(facts: Facts) -> Facts:
    return with_arguments(facts, save_steps=5 * updates_of(facts))


@fault(
    "never_stopped_early",
    "nothing stops a run that gets worse",
    "CFG015",
    lambda f: argument(f, "early_stopping_patience") == 0,
)
def never_stopped_early(facts: Facts) -> Facts:
    return with_arguments(facts, **BEST, eval_steps=updates_of(facts) // 4, early_stopping_patience=0)


@fault(
    "rows_of_an_update_unsaid",
    "batches are accumulated four times",
    "CFG021",
    lambda f: argument(f, "gradient_accumulation_steps") == 4,
)
def rows_of_an_update_unsaid(facts: Facts) -> Facts:
    return with_arguments(facts, gradient_accumulation_steps=4)
