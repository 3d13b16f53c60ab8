from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, path_of


@corpus_fault(
    "evaluation clips have 8 kHz, training clips 16",
    "DAT051",
    lambda f: path_of({**f, "train_rows": f["eval_rows"]}, 0).read_bytes()[24:26] == (8000).to_bytes(2, "little"),
)
def evaluation_by_telephone(corpus: Facts) -> Facts:
    from probes.subjects.corpus_files import replace_samples, samples_of

    evaluation = {**corpus, "train_rows": corpus["eval_rows"]}
    for number in range(len(corpus["eval_rows"])):
        replace_samples(evaluation, samples_of(evaluation, number)[::2], number, rate=8000)
    return corpus
