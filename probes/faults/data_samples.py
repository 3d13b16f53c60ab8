"""Faults in the sound itself, and in its length."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.data_changes import SPEECH, in_corpus, samples, with_corpus, with_samples


def _opposed(clip: Any) -> Any:
    import numpy as np

    return np.stack([clip, -clip], axis=1)


@fault(
    "channels_opposed",
    "one channel is the other upside down",
    "DAT013",
    in_corpus(lambda f: samples(f).shape[1] == 2 and bool(samples(f)[:, 0].any())),
    SPEECH,
)
def channels_opposed(facts: Facts) -> Facts:
    return with_samples(facts, _opposed)


def _left_empty(clip: Any) -> Any:
    import numpy as np

    return np.stack([0 * clip, clip], axis=1)


@fault(
    "first_channel_empty",
    "the sound is in the second channel alone",
    "DAT013",
    in_corpus(lambda f: samples(f).shape[1] == 2 and not samples(f)[:, 0].any()),
    SPEECH,
)
def first_channel_empty(facts: Facts) -> Facts:
    return with_samples(facts, _left_empty)


@fault(
    "clips_amplified",
    "clips were amplified beyond full scale",
    "DAT016",
    in_corpus(lambda f: (samples(f) > 0.89).mean() > 0.1),
    SPEECH,
)
def clips_amplified(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: (clip * 1.5 / (abs(clip).mean() + 1e-9)).clip(-0.9, 0.9), rows=20)


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


@fault(
    "window_shorter_than_clips",
    "clips are cut at 0.3 s, and their texts are not",
    "DAT021",
    lambda f: f.get("configured_audio", {}).get("max_seconds") == 0.3,
    SPEECH,
)
def window_shorter_than_clips(facts: Facts) -> Facts:
    return {**with_corpus(facts), "configured_audio": {"sample_rate": 16_000, "max_seconds": 0.3}}
