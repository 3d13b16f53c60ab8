"""A small real speech corpus, made on the spot: same seed, same bytes."""

import csv
import hashlib
import io
import json
import multiprocessing
import os
import shutil
import wave
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from trainer.demo import plan, sentences, speech
from trainer.demo.plan import SEEN, UNSEEN, Clip, Size, plan_clips, plan_documents
from trainer.demo.speech import SAMPLE_RATE, speak
from trainer.progress import progress

COLUMNS = ("audio_path", "transcript", "translation", "duration", "video_id", "speaker_id")
TEXT_COLUMNS = ("document", "summary", "video_id")


@dataclass(frozen=True)
class Corpus:
    """Where everything is. `made` counts the clips that were not there yet."""

    directory: Path
    manifest: Path
    unseen: Path
    documents: Path
    clips: int
    seconds: float
    made: int


def make_corpus(directory: str | Path, seed: int = 0, size: Size = Size(), workers: int = 2) -> Corpus:  # noqa: B008
    """Make the corpus, or only what is missing of it; a corpus made otherwise is made anew."""
    root = Path(directory)
    clips = plan_clips(seed, size)
    digest = _digest(seed, size)
    if _stamped(root) not in (digest, None):
        shutil.rmtree(root / "wavs", ignore_errors=True)
    root.mkdir(parents=True, exist_ok=True)
    _write(root / "corpus.json", json.dumps({"digest": digest, "seed": seed, **asdict(size)}, indent=2))
    missing = [clip for clip in clips if not (root / clip.path).exists()]
    _synthesise(root, missing, workers)
    rows = [_row(root, clip) for clip in clips]
    seen = [row for row in rows if row["speaker_id"] in SEEN]
    unseen = [row for row in rows if row["speaker_id"] in UNSEEN]
    manifest = _write(root / "manifest.tsv", _table(seen, COLUMNS, "\t"))
    unseen_path = _write(root / "test_unseen.csv", _table(unseen, COLUMNS, ","))
    documents = _write(root / "documents.csv", _table(plan_documents(clips, seed, size), TEXT_COLUMNS, ","))
    seconds = sum(float(row["duration"]) for row in rows)
    return Corpus(root, manifest, unseen_path, documents, len(clips), seconds, len(missing))


def _digest(seed: int, size: Size) -> str:
    """What decides the bytes: the parameters and the source of the generator."""
    source = b"".join(
        Path(module).read_bytes() for module in (sentences.__file__, plan.__file__, speech.__file__, __file__)
    )
    return hashlib.sha256(source + json.dumps([seed, asdict(size)]).encode()).hexdigest()


def _stamped(root: Path) -> str | None:
    try:
        return str(json.loads((root / "corpus.json").read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _synthesise(root: Path, clips: Sequence[Clip], workers: int) -> None:
    if not clips:
        return
    videos = [list(group) for _, group in groupby(clips, key=lambda clip: clip.video)]
    # Spawned, not forked: the caller may hold torch's threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context)
    try:
        with progress("speech", len(clips)) as advance:
            for done in as_completed([pool.submit(_say_all, root, video) for video in videos]):
                advance(done.result())
    finally:
        pool.shutdown(cancel_futures=True)


def _say_all(root: Path, clips: Sequence[Clip]) -> int:
    import torch

    torch.set_num_threads(1)
    for clip in clips:
        samples = speak(clip.sentence.segments(), (SEEN | UNSEEN)[clip.speaker], clip.speed)
        _write(root / clip.path, _wav(samples.tobytes()))
    return len(clips)


def _wav(samples: bytes) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
        file.writeframes(samples)
    return buffer.getvalue()


def _row(root: Path, clip: Clip) -> dict[str, str]:
    with wave.open(str(root / clip.path), "rb") as file:
        seconds = file.getnframes() / file.getframerate()
    values = (clip.path, clip.sentence.source, clip.sentence.target, f"{seconds:.3f}", clip.video, clip.speaker)
    return dict(zip(COLUMNS, values, strict=True))


def _table(rows: Iterable[dict[str, str]], columns: Sequence[str], delimiter: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write(path: Path, content: str | bytes) -> Path:
    """All or nothing: a file that is there is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content.encode() if isinstance(content, str) else content)
    return draft.replace(path)
