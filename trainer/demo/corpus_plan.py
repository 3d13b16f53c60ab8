"""The plan of the corpus: every clip with its sentence, video and speaker."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from trainer.demo.espeak import Voice
from trainer.demo.sentences import Sentence, draw_distinct, draw_documents

SEEN: dict[str, Voice] = {
    "lan": Voice("vi", "en-us", "f2"),
    "minh": Voice("vi", "en-us", "m3"),
    "hoa": Voice("vi-vn-x-south", "en-gb-x-rp", "f4"),
    "tuan": Voice("vi-vn-x-south", "en-us", "m1", pitch=40),
    "mai": Voice("vi-vn-x-central", "en-us", "f5", pitch=60),
    "hung": Voice("vi-vn-x-central", "en", "m5"),
    "linh": Voice("vi", "en", "Annie"),
    "dung": Voice("vi-vn-x-south", "en", "m7", pitch=55),
}
UNSEEN: dict[str, Voice] = {
    "thao": Voice("vi", "en-us", "f3", pitch=55),
    "khoa": Voice("vi-vn-x-south", "en", "m4", pitch=45),
    "nga": Voice("vi-vn-x-central", "en-us", "linda"),
    "son": Voice("vi", "en-gb-x-rp", "m2"),
}
# Words a minute. At 210, a few clips have fewer encoder frames (40 ms) than letters, and CTC cannot align them.
SPEEDS = (155, 170, 180, 190)


@dataclass(frozen=True)
class CorpusSize:
    """The size of the corpus; a sentence is in one video only, so that a split by video holds."""

    videos: int = 100
    sentences_per_video: int = 15
    unseen_videos: int = 10
    documents_per_video: int = 40


@dataclass(frozen=True)
class PlannedClip:
    """One sentence as said by one speaker."""

    path: str
    sentence: Sentence
    video: str
    speaker: str
    speed: int


def plan_clips(seed: int, size: CorpusSize) -> list[PlannedClip]:
    """Every clip of the corpus; two speakers per video, so that every voice is in each set of a split."""
    rng = random.Random(seed)
    total = size.videos + size.unseen_videos
    drawn = iter(draw_distinct(rng, total * size.sentences_per_video))
    clips = []
    for number in range(total):
        voices = SEEN if number < size.videos else UNSEEN
        video = f"video_{number:03d}"
        pair = _pair(list(voices), number)
        for index in range(size.sentences_per_video):
            path = f"wavs/{video}/{index:03d}.wav"
            clips.append(PlannedClip(path, next(drawn), video, rng.choice(pair), rng.choice(SPEEDS)))
    return clips


def _pair(names: list[str], number: int) -> tuple[str, str]:
    """Two speakers: everyone in turn, with another partner each time."""
    people = len(names)
    partner = 1 + number // people % (people - 1)
    return names[number % people], names[(number + partner) % people]


def plan_documents(clips: Sequence[PlannedClip], seed: int, size: CorpusSize) -> list[dict[str, str]]:
    """The rows of the text task; a document draws on one video only, so that a split by video holds."""
    rng = random.Random(seed)
    rows = []
    for video, group in groupby((clip for clip in clips if clip.speaker in SEEN), key=lambda clip: clip.video):
        drawn = draw_documents(rng, [clip.sentence for clip in group], size.documents_per_video)
        rows += [{"document": document, "summary": summary, "video_id": video} for document, summary in drawn]
    return rows
