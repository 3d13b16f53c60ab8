"""A corpus beside a subject, in a temporary folder: faults are put into copies, never into a person's files."""

from collections.abc import Callable
from typing import Any

from diagnose import Fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.change_faults import Change, change_fault
from probes.faults.kit.changes import SPEECH, Facts

LEAST = 60  # rows: faults of many rows are put into fifty
ROW = 5  # the row that faults of a single row are put into


def corpus_fault(description: str, probe_id: str, is_present: Callable[[Facts], Any]) -> Callable[[Change], Fault]:
    """A fault whose function changes the facts with a corpus; it is not in where there is none."""
    return change_fault(
        lambda facts, change: change(with_corpus(facts)),
        description,
        probe_id,
        lambda facts: "train_rows" in facts and bool(is_present(facts)),
        SPEECH,
    )


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


def change_file(corpus: Facts, change: Callable[[Any], Any]) -> Facts:
    """The corpus in which one file was changed; `change` gets its path."""
    change(path_of(corpus))
    return corpus


def change_samples(corpus: Facts, change: Callable[[Any], Any], rows: int = 1, **how: Any) -> Facts:
    """The corpus in which the samples of some files were changed."""
    from probes.subjects.corpus_files import replace_samples, samples_of

    for number in range(ROW, ROW + rows):
        replace_samples(corpus, change(samples_of(corpus, number)), number, **how)
    return corpus


def change_row(corpus: Facts, **values: Any) -> Facts:
    """The corpus in which one row has these values."""
    corpus["train_rows"][ROW].update(values)
    return corpus


def path_of(facts: Facts, number: int = ROW) -> Any:
    return facts["audio_root"] / facts["train_rows"][number]["audio_path"]


def samples(facts: Facts, number: int = ROW) -> Any:
    """The samples of a file, [samples, channels]."""
    import soundfile

    return soundfile.read(path_of(facts, number), always_2d=True)[0]


def texts(facts: Facts, split: str = "train") -> list[str]:
    return [row.get("transcript", "") for row in facts[f"{split}_rows"]]


def paths_of(facts: Facts) -> set[str]:
    return {row["audio_path"] for row in facts["train_rows"]}


def leak_sentences(corpus: Facts, end: str = "") -> Facts:
    """The corpus with sentences of training in the evaluation, with this at their end."""
    long = [row for row in corpus["train_rows"] if len(row["transcript"]) >= 24]
    for row, source in zip(corpus["eval_rows"], long, strict=False):
        row["transcript"] = source["transcript"] + end
    return corpus


def text_of(facts: Facts) -> str:
    return texts(facts)[ROW]
