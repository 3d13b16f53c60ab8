"""A corpus of files with faults put in on purpose: for each row, the checks that have to name it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile

RATE = 16_000
WORDS = ["ba", "de", "gi", "ko", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve", "wi", "xo", "ya", "zu"]
Clip = tuple[np.ndarray, int, str, str, str]  # samples, rate, extension, format, subtype


@dataclass
class Planted:
    """The two manifests, the folder, and which checks have to name which row of them."""

    folder: Path
    train: Path
    other: Path
    expected: dict[tuple[str, int], set[str]] = field(default_factory=dict)


def voice(chance: np.random.Generator, seconds: float) -> np.ndarray:
    """Syllables of a buzzing source with pauses between them: no two clips are alike."""
    time = np.arange(int(seconds * RATE)) / RATE
    loudness, place = np.zeros(len(time)), 0.1
    while place < seconds - 0.3:
        long = chance.uniform(0.09, 0.28)
        inside = (time >= place) & (time < place + long)
        loudness[inside] += chance.uniform(0.2, 1.0) * np.sin(np.pi * (time[inside] - place) / long) ** 2
        place += long + chance.uniform(0.02, 0.2)
    pitch = (
        2
        * np.pi
        * np.cumsum(120 + 60 * chance.random() + 20 * np.sin(2 * np.pi * chance.uniform(0.3, 1) * time))
        / RATE
    )
    buzz = sum(chance.uniform(0.2, 1) / n * np.sin(n * pitch + chance.uniform(0, 6)) for n in range(1, 12))
    made = loudness * (buzz + 0.2 * chance.normal(size=len(time))) + 0.002 * chance.normal(size=len(time))
    return np.asarray(0.4 * made / np.abs(made).max(), np.float64)


def resample(samples: np.ndarray, rate: int) -> np.ndarray:
    count = round(len(samples) * rate / RATE)
    return np.asarray(np.fft.irfft(np.fft.rfft(samples)[: count // 2 + 1], count) * count / len(samples))


PLAIN = ("wav", "WAV", "PCM_16")
FAULTS: dict[str, tuple[str, Callable[[np.ndarray], Clip]]] = {
    "nan": ("DAT008", lambda x: (np.where(np.arange(len(x)) == 4321, np.nan, x), RATE, "wav", "WAV", "FLOAT")),
    "huge": ("DAT015", lambda x: (np.where(np.arange(len(x)) == 4321, 1e30, x), RATE, "wav", "WAV", "FLOAT")),
    "dc": ("DAT017", lambda x: (0.5 * x + 0.3, RATE, *PLAIN)),
    "clipped": ("DAT016", lambda x: (np.clip(8 * x, -0.9, 0.9), RATE, *PLAIN)),
    "silent": ("DAT018", lambda x: (0 * x, RATE, *PLAIN)),
    "phase": ("DAT013", lambda x: (np.stack([x, -0.99 * x], axis=1), RATE, *PLAIN)),
    "rate": ("DAT010", lambda x: (x, 22_050, *PLAIN)),
}
COPIES: dict[str, Callable[[np.ndarray], Clip]] = {
    "float": lambda x: (x, RATE, "wav", "WAV", "FLOAT"),
    "flac": lambda x: (x, RATE, "flac", "FLAC", "PCM_16"),
    "ogg": lambda x: (x, RATE, "ogg", "OGG", "VORBIS"),
    "mp3": lambda x: (x, RATE, "mp3", "MP3", "MPEG_LAYER_III"),
    "slower": lambda x: (resample(x, 8000), 8000, *PLAIN),
    "faster": lambda x: (resample(x, 44_100), 44_100, *PLAIN),
    "trimmed": lambda x: (x[1237:-2001], RATE, *PLAIN),
}


def plant(folder: Path, count: int, each: int, seed: int = 0) -> Planted:
    """`count` clips, `each` of every fault and of every kind of copy, within training and into evaluation."""
    (folder / "clips").mkdir(parents=True)
    chance = np.random.default_rng(seed)
    planted = Planted(folder, folder / "train.tsv", folder / "dev.tsv")
    rows: dict[Path, list[str]] = {
        path: ["audio_path\ttranscript\tduration"] for path in (planted.train, planted.other)
    }

    def write(path: Path, name: str, clip: Clip, text: str, seconds: float, *checks: str) -> None:
        samples, rate, extension, form, subtype = clip
        soundfile.write(folder / f"clips/{name}.{extension}", samples, rate, format=form, subtype=subtype)
        rows[path].append(f"clips/{name}.{extension}\t{text}\t{seconds:.3f}")
        if checks:
            planted.expected[str(path), len(rows[path])] = set(checks)

    extra = each * (len(FAULTS) + 2 + 2 * len(COPIES))
    clean = []
    for number in range(count - extra):
        x = np.round(voice(chance, float(chance.uniform(2, 5))) * 32768) / 32768
        text = " ".join(chance.choice(WORDS, round(4 * len(x) / RATE)))
        clean.append((x, text))
        write(
            planted.train if number % 5 else planted.other, f"clean{number:04}", (x, RATE, *PLAIN), text, len(x) / RATE
        )
    for number in range(each):
        for kind, (check, change) in FAULTS.items():
            x = voice(chance, 3.0)
            write(planted.train, f"{kind}{number}", change(x), " ".join(chance.choice(WORDS, 12)), 3.0, check)
        x = voice(chance, 3.0)
        write(planted.train, f"long{number}", (x, RATE, *PLAIN), " ".join(chance.choice(WORDS, 12)), 3.7, "DAT009")
        write(planted.train, f"cut{number}", (x[::-1], RATE, *PLAIN), " ".join(chance.choice(WORDS, 12)), 3.0, "DAT006")
        cut = folder / f"clips/cut{number}.wav"
        cut.write_bytes(cut.read_bytes()[:70_000])
        for place, (kind, change) in enumerate(COPIES.items()):
            for path, check in ((planted.train, "DAT032"), (planted.other, "DAT035")):
                source = 5 * (2 * (number * len(COPIES) + place) + (check == "DAT035")) + 1  # a clean one of training
                x, text = clean[source % len(clean)]
                y, rate, *how = change(x)
                write(path, f"{kind}{check}{number}", (y, rate, *how), text, len(y) / rate, check)
    for path, lines in rows.items():
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return planted
