"""Rows of the training set as a page shows them: sound, waveform, pictures, texts, labels with what is masked."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Any

from markupsafe import Markup

from diagnose.render.samples import clip_line, row_lines

BUDGET = 1_800_000  # bytes of sound and pictures in the page of a report: with its charts it stays under 3 MB
WIDTH, HEIGHT = 640, 60  # of a waveform
PLAIN = "without augmentation: "


@dataclass(frozen=True)
class RowView:
    """One row. `audio` and `pictures` are captions and data addresses; `left_out`: the page had no room for them."""

    where: str
    texts: dict[str, str]
    labels: Sequence[Any] = ()
    about_clip: str = ""
    waveform: str = ""
    audio: Sequence[tuple[str, str]] = ()
    pictures: Sequence[tuple[str, str]] = ()
    numbers: str = ""
    left_out: bool = False


def row_views(rows: Sequence[Any], budget: int | None = None) -> Iterator[RowView]:
    """In the order given; sound and pictures as long as they fit into the budget."""
    used = 0
    for row in rows:
        audio, pictures = tuple(_audio(row)), tuple(_pictures(row))
        size = sum(len(address) for _, address in (*audio, *pictures))
        fits = budget is None or used + size <= budget
        used += size if fits else 0
        yield RowView(
            where=row.where,
            texts=dict(row.texts),
            labels=row.labels,
            about_clip=clip_line(row.clip) if row.clip is not None else "",
            waveform=waveform(row.clip.envelope()) if row.clip is not None else "",
            audio=audio if fits else (),
            pictures=pictures if fits else (),
            numbers="\n".join(row_lines(row)),
            left_out=not fits,
        )


def worst_first(rows: Sequence[Any]) -> list[Any]:
    """Rows of which nothing is scored, then those whose characters per second are farthest from the median."""
    rates = {row.where: rate for row in rows if (rate := _characters_per_second(row)) > 0}
    middle = median(rates.values()) if rates else 1.0

    def order(row: Any) -> tuple[bool, float]:
        scored = any(not part.masked for part in row.labels) or not row.labels
        return scored, -abs(log(rates.get(row.where, middle) / middle))

    return sorted(rows, key=order)


def waveform(envelope: Sequence[tuple[float, float]]) -> Markup:
    """Lowest and highest sample of each column, on a scale of -1 to 1."""
    middle, step = HEIGHT / 2, WIDTH / max(1, len(envelope))
    upper = [f"{i * step:.0f},{middle - middle * high:.1f}" for i, (_, high) in enumerate(envelope)]
    lower = [f"{i * step:.0f},{middle - middle * low:.1f}" for i, (low, _) in enumerate(envelope)]
    points = " ".join([*upper, *reversed(lower)])
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return Markup(f'<svg class="wave" {size} role="img" aria-label="waveform"><polygon points="{points}"/></svg>')


def _characters_per_second(row: Any) -> float:
    seconds = row.clip.stats.seconds if row.clip is not None else 0.0
    longest = max(map(len, row.texts.values()), default=0)
    return longest / seconds if seconds > 0 else 0.0


def _audio(row: Any) -> Iterator[tuple[str, str]]:
    for lead, one in (("", row), (PLAIN, row.plain)):
        if one is not None and one.clip is not None:
            yield f"{lead}audio", _address("audio/wav", one.clip.wav())


def _pictures(row: Any) -> Iterator[tuple[str, str]]:
    for lead, one in (("", row), (PLAIN, row.plain), ("second draw: ", row.second_draw)):
        for name, content in (one.pictures() if one else {}).items():
            yield f"{lead}{name}", _address("image/png", content)


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"
