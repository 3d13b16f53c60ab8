from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "the checkpoint with the highest error rate is taken for the best",
    "CFG006",
    argument_is("metric_for_best_model", "wer"),
)
def best_metric_reversed(facts: Facts) -> Facts:
    best = {"load_best_model_at_end": True, "metric_for_best_model": "wer", "greater_is_better": True}
    return with_arguments(facts, eval_strategy="steps", eval_steps=updates_of(facts) // 4, **best)
