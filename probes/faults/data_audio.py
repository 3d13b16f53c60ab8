"""Faults in audio files: they are gone, torn, or described wrongly."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.data_changes import (
    SPEECH,
    in_corpus,
    path_of,
    samples,
    with_corpus,
    with_file,
    with_rows,
    with_samples,
)


@fault("file_missing", "an audio file was deleted", "DAT001", in_corpus(lambda f: not path_of(f).exists()), SPEECH)
def file_missing(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.unlink())


@fault("file_empty", "an audio file has no bytes", "DAT005", in_corpus(lambda f: not path_of(f).stat().st_size), SPEECH)
def file_empty(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.write_bytes(b""))


@fault(
    "file_truncated",
    "an audio file was cut in half while its header stayed",
    "DAT006",
    in_corpus(lambda f: path_of(f).stat().st_size < 40 + float(f["train_rows"][5]["duration"]) * 32_000 - 1000),
    SPEECH,
)
def file_truncated(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]))


@fault(
    "file_is_a_web_page",
    "an audio file holds HTML",
    "DAT007",
    in_corpus(lambda f: path_of(f).read_bytes()[:4] == b"<htm"),
    SPEECH,
)
def file_is_a_web_page(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.write_text("<html>404: not found</html>"))


def _one_nan(clip: Any) -> Any:
    clip[100] = float("nan")
    return clip


@fault(
    "sample_is_nan",
    "a float file holds a NaN",
    "DAT008",
    in_corpus(lambda f: samples(f)[100] != samples(f)[100]),
    SPEECH,
)
def sample_is_nan(facts: Facts) -> Facts:
    return with_samples(facts, _one_nan, subtype="FLOAT")


@fault(
    "durations_are_stale",
    "durations in the manifest are of clips that were cut since",
    "DAT009",
    in_corpus(lambda f: float(f["train_rows"][5]["duration"]) > 2),
    SPEECH,
)
def durations_are_stale(facts: Facts) -> Facts:
    return with_rows(facts, lambda train, _: train[5].update(duration="3.217"))


@fault(
    "headers_give_half_the_rate",
    "samples of 16 kHz were written with 8 kHz in the header",
    "DAT010",
    in_corpus(lambda f: path_of(f).read_bytes()[24:28] == (8000).to_bytes(4, "little")),
    SPEECH,
)
def headers_give_half_the_rate(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: clip, rows=50, rate=8000)


@fault(
    "manifest_of_other_files",
    "the manifest gives the sample rate of other files",
    "DAT014",
    in_corpus(lambda f: f["train_rows"][0].get("sample_rate") == "44100"),
    SPEECH,
)
def manifest_of_other_files(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": [{**row, "sample_rate": "44100"} for row in corpus["train_rows"]]}
