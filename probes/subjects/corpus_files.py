"""A small healthy corpus as files: rows of a manifest, and WAV files in a temporary folder that goes in the end."""

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from probes.subjects.tone_corpus import RATE, WHAT, WHO, speech

_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends
CLIPS_OF_A_VIDEO = 4
BYTES = range(12, 49)  # of a text: a quarter of a second to one


def folder() -> Path:
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="gonogo-"))
    return Path(_FOLDERS[-1].name)


def write_corpus(count: int = 8, eval_count: int = 0, seed: int = 0) -> dict[str, Any]:
    """Facts of a corpus with so many rows: no text twice, no video and no speaker in both splits."""
    root, chance = folder(), random.Random(seed)
    texts: dict[str, None] = {}
    while len(texts) < count + eval_count:
        text = " ".join(chance.sample((*WHO, *WHAT), chance.randint(1, 4)))
        texts |= {text: None} if len(text.encode()) in BYTES else {}
    rows = [_write(root, number, text, "eval" if number >= count else "train") for number, text in enumerate(texts)]
    facts = {"train_rows": rows[:count], "audio_root": root}
    return {**facts, "eval_rows": rows[count:]} if eval_count else facts


def copy_corpus(facts: dict[str, Any], count: int = 120, eval_count: int = 48) -> dict[str, Any]:
    """The first rows of a person's own corpus, their audio beside them as plain WAV: theirs is never touched."""
    root, source = folder(), Path(facts["audio_root"])
    first = {"train_rows": facts["train_rows"][:count], "eval_rows": facts.get("eval_rows", ())[:eval_count]}
    rows = {name: [_copy(root, source, dict(row)) for row in some] for name, some in first.items() if some}
    return {"audio_root": root, **rows}


def _copy(root: Path, source: Path, row: dict[str, Any]) -> dict[str, Any]:
    """What cannot be read stays away, as it is in the original."""
    path = Path(str(row["audio_path"])).with_suffix(".wav")
    target = root / (path.relative_to(path.anchor) if path.is_absolute() else path)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        samples, rate = soundfile.read(source / row["audio_path"], dtype="float32")
        write_audio(target, samples, rate)
    except (OSError, soundfile.LibsndfileError):
        pass
    return {**row, "audio_path": str(target.relative_to(root))}


def _write(root: Path, number: int, text: str, split: str) -> dict[str, Any]:
    audio = f"{number:03}.wav"
    samples = speech(text)
    write_audio(root / audio, samples)
    return {
        "audio_path": audio,
        "transcript": text,
        "duration": f"{len(samples) / RATE:.3f}",
        "video_id": f"{split}-{number // CLIPS_OF_A_VIDEO}",
        "speaker_id": f"{split}-{number % 3}",
        "_file": f"{split}.csv",
        "_line": str(number + 2),
    }


def write_audio(path: Path, samples: np.ndarray, rate: int = RATE, subtype: str = "PCM_16") -> None:
    soundfile.write(path, samples, rate, subtype=subtype)


def samples_of(facts: dict[str, Any], number: int = 0) -> np.ndarray:
    """The samples of a row, to be changed and written again."""
    samples, _ = soundfile.read(facts["audio_root"] / facts["train_rows"][number]["audio_path"], dtype="float32")
    return np.asarray(samples)


def replace_samples(facts: dict[str, Any], samples: np.ndarray, number: int = 0, **how: Any) -> dict[str, Any]:
    """The facts with other samples in the file of a row."""
    write_audio(facts["audio_root"] / facts["train_rows"][number]["audio_path"], samples, **how)
    return facts
