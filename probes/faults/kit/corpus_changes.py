"""A corpus beside a subject, in a temporary folder: faults are put into copies, never into a person's files."""

from collections.abc import Callable
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts

Rows = list[dict[str, Any]]
SPEECH = ("whisper", "e2e", "hybrid")
LEAST = 60  # rows: faults of many rows are put into fifty
SPOILT = 5  # the row that faults of a single row are put into


def with_corpus(facts: Facts) -> Facts:
    """The subject's facts and a copy of the first rows of its corpus; where it has none, a healthy one."""
    from probes.subjects.corpus_files import copy_corpus, write_corpus

    if "train_rows" not in facts:
        return {**facts, **write_corpus(60, eval_count=24)}
    if "audio_root" not in facts or "audio_path" not in facts["train_rows"][0]:
        raise NotApplicable("its rows name no audio")
    if "transcript" not in facts["train_rows"][0] or len(facts["train_rows"]) < LEAST:
        raise NotApplicable(f"it has not {LEAST} rows with transcripts")
    return {**facts, **copy_corpus(facts)}


def with_file(facts: Facts, change: Callable[[Any], None]) -> Facts:
    """A corpus in which one file was changed; `change` gets its path."""
    corpus = with_corpus(facts)
    change(path_of(corpus))
    return corpus


def with_samples(facts: Facts, change: Callable[[Any], Any], rows: int = 1, **how: Any) -> Facts:
    """A corpus in which the samples of some files were changed."""
    from probes.subjects.corpus_files import replace_samples, samples_of

    corpus = with_corpus(facts)
    for number in range(SPOILT, SPOILT + rows):
        replace_samples(corpus, change(samples_of(corpus, number)), number, **how)
    return corpus


def with_rows(facts: Facts, change: Callable[[Rows, Rows], None]) -> Facts:
    """A corpus whose rows were changed; `change` gets those of training and of evaluation."""
    corpus = with_corpus(facts)
    change(corpus["train_rows"], corpus["eval_rows"])
    return corpus


def path_of(facts: Facts, number: int = SPOILT) -> Any:
    return facts["audio_root"] / facts["train_rows"][number]["audio_path"]


def samples(facts: Facts, number: int = SPOILT) -> Any:
    """What can be decoded of a file, [samples, channels]."""
    import soundfile

    return soundfile.read(path_of(facts, number), always_2d=True)[0]


def in_corpus(test: Callable[[Facts], bool]) -> Callable[[Facts], bool]:
    """A proof that is no proof where there is no corpus."""
    return lambda facts: "train_rows" in facts and bool(test(facts))


def texts(facts: Facts, split: str = "train") -> list[str]:
    return [row.get("transcript", "") for row in facts[f"{split}_rows"]]


def paths_of(facts: Facts) -> set[str]:
    return {row["audio_path"] for row in facts["train_rows"]}


def leaking(change: str) -> Callable[[Rows, Rows], None]:
    """Sentences of training stand in the evaluation, with this at their end."""

    def put(train: Rows, evaluation: Rows) -> None:
        long = [row for row in train if len(row["transcript"]) >= 24]
        for row, source in zip(evaluation, long, strict=False):
            row["transcript"] = source["transcript"] + change

    return put


def its_text(facts: Facts) -> str:
    return texts(facts)[SPOILT]


def with_text(facts: Facts, text: str) -> Facts:
    return with_rows(facts, lambda train, _: train[SPOILT].update(transcript=text))
