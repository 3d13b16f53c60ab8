"""Faults in audio files."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.data_changes import SPEECH, in_corpus, path_of, samples, with_file, with_rows, with_samples


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


def _opposed(clip: Any) -> Any:
    import numpy as np

    return np.stack([clip, -clip], axis=1)


@fault(
    "channels_opposed",
    "one channel is the other upside down",
    "DAT013",
    in_corpus(lambda f: samples(f).shape[1] == 2),
    SPEECH,
)
def channels_opposed(facts: Facts) -> Facts:
    return with_samples(facts, _opposed)


@fault(
    "clips_amplified",
    "clips were amplified beyond full scale",
    "DAT016",
    in_corpus(lambda f: (samples(f) > 0.89).mean() > 0.1),
    SPEECH,
)
def clips_amplified(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: (20 * clip).clip(-0.9, 0.9), rows=20)


@fault(
    "clips_offset",
    "a constant was added to the samples",
    "DAT017",
    in_corpus(lambda f: samples(f).mean() > 0.2),
    SPEECH,
)
def clips_offset(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: clip + 0.3, rows=20)


@fault("clip_silenced", "a clip holds zeros", "DAT018", in_corpus(lambda f: not samples(f).any()), SPEECH)
def clip_silenced(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: 0 * clip)


@fault(
    "clip_of_ten_milliseconds",
    "a clip was cut to 160 samples",
    "DAT020",
    in_corpus(lambda f: len(samples(f)) == 160),
    SPEECH,
)
def clip_of_ten_milliseconds(facts: Facts) -> Facts:
    corpus = with_samples(facts, lambda clip: clip[:160])
    corpus["train_rows"][5]["duration"] = "0.010"
    return corpus
