"""A small generated speech corpus: same seed, same bytes."""

import hashlib
import json
import shutil
import wave
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from diagnose.common.atomic_write import write_files
from diagnose.common.progress import progress
from trainer.data.manifest import write_rows
from trainer.demo import corpus_plan, espeak, sentences, synthesize
from trainer.demo.corpus_plan import SEEN, UNSEEN, CorpusSize, PlannedClip, plan_clips, plan_documents
from trainer.demo.synthesize import in_parallel, say_all

COLUMNS = ("audio_path", "transcript", "translation", "duration", "video_id", "speaker_id")
TEXT_COLUMNS = ("document", "summary", "video_id")


@dataclass(frozen=True)
class DemoCorpus:
    """The corpus on disk; `made` counts the clips that are new."""

    directory: Path
    clips: int
    seconds: float
    made: int

    @property
    def manifest(self) -> Path:
        return self.directory / "manifest.tsv"

    @property
    def unseen(self) -> Path:
        """Sentences of their own, by voices that are not in the manifest."""
        return self.directory / "test_unseen.csv"

    @property
    def documents(self) -> Path:
        """The text task."""
        return self.directory / "documents.csv"


def make_corpus(directory: str | Path, seed: int = 0, size: CorpusSize = CorpusSize(), workers: int = 2) -> DemoCorpus:  # noqa: B008
    """Make what is missing of the corpus; one made with other parameters is made again."""
    root = Path(directory)
    clips = plan_clips(seed, size)
    _stamp(root, seed, size)
    missing = [clip for clip in clips if _seconds(root / clip.path) is None]
    _synthesize(root, missing, workers)
    rows = [_row(root, clip) for clip in clips]
    made = DemoCorpus(root, len(rows), sum(float(row["duration"]) for row in rows), len(missing))
    write_rows(made.manifest, [row for row in rows if row["speaker_id"] in SEEN], COLUMNS)
    write_rows(made.unseen, [row for row in rows if row["speaker_id"] in UNSEEN], COLUMNS)
    write_rows(made.documents, plan_documents(clips, seed, size), TEXT_COLUMNS)
    return made


def _stamp(root: Path, seed: int, size: CorpusSize) -> None:
    """Write corpus.json; removes speech that was made with other parameters first."""
    digest = _digest(seed, size)
    if _stamped(root) not in (digest, None):
        shutil.rmtree(root / "wavs", ignore_errors=True)
    content = {"digest": digest, "seed": seed, **asdict(size)}
    write_files({root / "corpus.json": json.dumps(content, indent=2) + "\n"})


def _digest(seed: int, size: CorpusSize) -> str:
    """A digest of the parameters and of the generator's source."""
    modules = (sentences, corpus_plan, espeak, synthesize)
    source = b"".join(Path(path).read_bytes() for path in (*(str(m.__file__) for m in modules), __file__))
    return hashlib.sha256(source + json.dumps([seed, asdict(size)]).encode()).hexdigest()


def _stamped(root: Path) -> str | None:
    try:
        return str(json.loads((root / "corpus.json").read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _synthesize(root: Path, clips: Sequence[PlannedClip], workers: int) -> None:
    if not clips:
        return
    videos = [list(group) for _, group in groupby(clips, key=lambda clip: clip.video)]
    with progress("speech", len(clips)) as advance:
        for done in in_parallel(root, videos, workers) if workers > 1 else (say_all(root, v) for v in videos):
            advance(done)


def _seconds(path: Path) -> float | None:
    """The length of a clip; None if it is missing or truncated."""
    try:
        with wave.open(str(path), "rb") as file:
            whole = path.stat().st_size >= file.getnframes() * file.getsampwidth()
            return file.getnframes() / file.getframerate() if whole else None
    except (OSError, EOFError, wave.Error):
        return None


def _row(root: Path, clip: PlannedClip) -> dict[str, str]:
    seconds = f"{_seconds(root / clip.path):.3f}"
    values = (clip.path, clip.sentence.source, clip.sentence.target, seconds, clip.video, clip.speaker)
    return dict(zip(COLUMNS, values, strict=True))
