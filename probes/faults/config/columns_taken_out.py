from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.hf_trainers import trainer_facts


@fault(
    "the Trainer removes the columns that the collator reads",
    "CFG002",
    lambda facts: "trainer" in facts and facts["trainer"].args.remove_unused_columns,
    HF_MODELS,
)
def columns_taken_out(facts: Facts) -> Facts:
    arguments = {"remove_unused_columns": True, "save_strategy": "no", "per_device_train_batch_size": 8}
    return trainer_facts(facts, {"train_dataset": facts["train_dataset"]}, **arguments)
