from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches

FAR = 10_000


@fault(
    id="inputs_beyond_vocabulary",
    description="inputs have ids that the model has no row for",
    probe_id="TOK013",
    is_present=lambda facts: int(facts["collate"]([facts["train_dataset"][0]])["input_ids"].max()) >= FAR,
    applies_to=("mt5",),
)
def inputs_beyond_vocabulary(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: {**batch, "input_ids": batch["input_ids"] + FAR})
