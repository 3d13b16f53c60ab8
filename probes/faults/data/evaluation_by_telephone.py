from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, with_corpus


def _halved(facts: Facts) -> Facts:
    from probes.subjects.corpus_files import replace_samples, samples_of

    corpus = with_corpus(facts)
    evaluation = {**corpus, "train_rows": corpus["eval_rows"]}
    for number in range(len(corpus["eval_rows"])):
        replace_samples(evaluation, samples_of(evaluation, number)[::2], number, rate=8000)
    return corpus


@fault(
    "evaluation clips have 8 kHz, training clips 16",
    "DAT051",
    in_corpus(
        lambda f: (
            (f["audio_root"] / f["eval_rows"][0]["audio_path"]).read_bytes()[24:26] == (8000).to_bytes(2, "little")
        )
    ),
    SPEECH,
)
def evaluation_by_telephone(facts: Facts) -> Facts:
    return _halved(facts)
