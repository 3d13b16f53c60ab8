from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.hf_trainers import first_items, trainer_facts


def _has_no_inputs(facts: Facts) -> bool:
    trainer = facts.get("trainer")
    if trainer is None or trainer.label_smoother is None:
        return False
    return "decoder_input_ids" not in trainer.data_collator([trainer.train_dataset[0]])


@fault(
    "the Trainer uses label smoothing without decoder inputs",
    "LOS003",
    _has_no_inputs,
    ("mt5", "whisper", "e2e"),
)
def smoothing_without_decoder_inputs(facts: Facts) -> Facts:
    datasets = {"train_dataset": first_items(facts)}
    return trainer_facts(facts, datasets, save_strategy="no", label_smoothing_factor=0.1)
