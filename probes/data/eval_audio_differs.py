from statistics import median

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFile, AudioFiles, AudioHeader, WaveformStats

LEAST = 20  # clips on each side
RARE = 0.05  # of the training clips
TIMES = 10.0  # 20 dB of level


@probe(id="DAT051", stage=Stage.DATA, severity=Severity.WARNING)
def eval_audio_differs(audio_files_of_both_splits: AudioFiles) -> Findings:
    """Evaluation audio differs from training audio in sample rate, level or duration."""
    sound = [
        (one, one.header, wave) for one, wave in audio_files_of_both_splits.decoded if one.header and not one.problem
    ]
    train = [one for one in sound if one[0].row.split == "train"]
    other = [one for one in sound if one[0].row.split == "eval"]
    if min(len(train), len(other)) >= LEAST:
        for told, measured in (_rates(train, other), _levels(train, other), _lengths(train, other)):
            if told:
                yield Finding(
                    where=other[0][0].row.where,
                    message=told,
                    fix="use recordings of the same kind for training and evaluation, or convert both to one format",
                    measured=measured,
                )


Sound = list[tuple[AudioFile, AudioHeader, WaveformStats]]
Difference = tuple[str, dict[str, float]]


def _rates(train: Sound, other: Sound) -> Difference:
    rates = [header.rate for _, header, _ in other]
    usual = max(set(rates), key=rates.count)
    share = sum(header.rate == usual for _, header, _ in train) / len(train)
    ours = [header.rate for _, header, _ in train]
    told = (
        f"most evaluation files have {usual:,} Hz, as do {share:.0%} of the training files; most training files have "
        f"{ours[0]:,} Hz"
    )
    return (told if share < RARE else ""), {"evaluation": usual, "train": ours[0]}


def _levels(train: Sound, other: Sound) -> Difference:
    ours, theirs = (median(wave.rms for _, _, wave in side) for side in (train, other))
    apart = max(ours, theirs) > TIMES * max(min(ours, theirs), 1e-9)
    return (f"the median level is {theirs:.4f} in evaluation and {ours:.4f} in training" if apart else ""), {
        "evaluation": theirs,
        "train": ours,
    }


def _lengths(train: Sound, other: Sound) -> Difference:
    """The longest and the shortest training clips are always among those that were looked at."""
    ours, theirs = [h.seconds for _, h, _ in train], median(h.seconds for _, h, _ in other)
    outside = theirs > max(ours) or theirs < min(ours)
    told = f"the median evaluation clip lasts {theirs:.1f} s, training clips {min(ours):.1f} to {max(ours):.1f} s"
    return (told if outside else ""), {"evaluation": theirs, "longest": max(ours), "shortest": min(ours)}
