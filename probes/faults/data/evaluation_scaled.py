from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, loader, with_batches


@fault(
    "evaluation scales its features, training does not",
    "DAT049",
    lambda f: next(iter(f["eval_batches"]))[0].std() > 4,
    CLASSIFIER,
)
def evaluation_scaled(facts: Facts) -> Facts:
    scaled = with_batches(facts, lambda batch: [batch[0] * 5, batch[1]])
    return {**facts, "eval_batches": loader(scaled, facts["eval_batches"].dataset, shuffle=False)}
