from diagnose import fault
from probes.faults.changes import Facts


@fault("drawn_in_this_process", "batches could not be drawn in a child", "DAT004", lambda f: "drawing" in f)
def drawn_in_this_process(facts: Facts) -> Facts:
    from probes.measured.data import Drawing

    batches = tuple(facts["collate"]([facts["train_dataset"][n] for n in range(4 * b, 4 * b + 4)]) for b in range(4))
    return {**facts, "drawing": Drawing(batches, "4 batches were drawn in the training process itself")}
