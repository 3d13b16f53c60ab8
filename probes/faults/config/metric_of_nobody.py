from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.hf_trainers import first_items, trainer_facts


@fault(
    "the best model is chosen by a metric that is not computed",
    "CFG007",
    lambda f: "trainer" in f and f["trainer"].args.metric_for_best_model == "wer",
    HF_MODELS,
)
def metric_of_nobody(facts: Facts) -> Facts:
    datasets = {"train_dataset": first_items(facts)[:24], "eval_dataset": first_items(facts)[24:]}
    best = {"metric_for_best_model": "wer", "greater_is_better": False}
    return trainer_facts(facts, datasets, save_strategy="no", eval_strategy="steps", eval_steps=25, **best)
