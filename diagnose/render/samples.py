"""What `diagnose samples` prints: each row with its texts, labels, shapes and audio."""

from collections.abc import Iterator
from typing import Any

SHOWN = 200  # characters of a text


def sample_lines(samples: Any) -> Iterator[str]:
    for sample in samples.rows:
        yield sample.where
        yield from (f"  {line}" for line in row_lines(sample))
    yield ending(samples)


def ending(samples: Any) -> str:
    count = f"{len(samples.rows)} rows"
    if samples.random is None:
        return count
    told = "changes" if samples.random else "does not change"
    return f"{count}; loading a row again with other random numbers {told} what the model gets"


def row_lines(sample: Any) -> Iterator[str]:
    """Texts of the item, then what the model gets."""
    for name, text in sample.texts.items():
        yield f"{name}: {short(text)}"
    if sample.clip is not None:
        yield f"audio: {clip_line(sample.clip)}"
    if sample.input_text:
        yield f"input text: {short(sample.input_text)}"
    if sample.labels:
        yield f"labels: {label_line(sample.labels)}"
    for values in sample.inputs:
        yield str(values)
    for line in plain_lines(sample.plain) if sample.plain else ():
        yield f"without augmentation, {line}"
    for values in sample.second_draw.inputs if sample.second_draw else ():
        yield f"second draw, {values}"


def plain_lines(plain: Any) -> Iterator[str]:
    """The audio and the inputs of a row before it is augmented."""
    if plain.clip is not None:
        yield f"audio: {clip_line(plain.clip)}"
    yield from map(str, (values for values in plain.inputs if values.name in plain.values))


def clip_line(clip: Any) -> str:
    stats, rate = clip.stats, f"{clip.rate:,} Hz" if clip.rate else "rate unknown"
    clipped = f", {stats.clipped_fraction:.2%} clipped" if stats.clipped_fraction else ""
    bad = f", {stats.not_finite} samples not finite" if stats.not_finite else ""
    voiced = f"{stats.voiced_seconds:.2f} s not silent"
    return f"{stats.seconds:.2f} s, {rate}, peak {stats.peak:.3f}, rms {stats.rms:.4f}, {voiced}{clipped}{bad}"


def label_line(parts: Any) -> str:
    """`[3 masked: xin] chào</s> [5 masked]`."""
    return " ".join(_part(part) for part in parts)


def _part(part: Any) -> str:
    if not part.masked:
        return short(part.text)
    return f"[{part.count} masked{': ' if part.text else ''}{short(part.text)}]"


def short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
