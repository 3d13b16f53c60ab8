from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, eval_loader, with_batches


@fault("the features are not normalized", "DAT047", lambda f: next(iter(f["train_batches"]))[0].mean() > 50, CLASSIFIER)
def features_raw(facts: Facts) -> Facts:
    changed = with_batches(facts, lambda batch: [batch[0] * 70 + 120, batch[1]])
    return {**changed, "eval_batches": eval_loader(changed)}
