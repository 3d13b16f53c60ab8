from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


def _ids(facts: Facts) -> list[int]:
    return first_labels(facts).flatten().tolist()


@fault("labels hold the padding token alone", "LAB001", lambda f: len(set(_ids(f))) == 1, SEQUENCES)
def labels_of_padding(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels * 0 + facts["tokenizer"].pad_token_id)
