"""The demo's speech, sentences and corpus: real, deterministic, and fit to be split by video."""

import json
import os
import random
import subprocess
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import espeakng_loader
import numpy as np
import pytest
import soundfile

from diagnose.common.errors import InputError
from trainer.data.manifest import read_rows
from trainer.demo import synthesize
from trainer.demo.corpus import COLUMNS, make_corpus
from trainer.demo.corpus_plan import SEEN, SPEEDS, UNSEEN, CorpusSize, plan_clips, plan_documents
from trainer.demo.espeak import SAMPLE_RATE, Voice, speak
from trainer.demo.sentences import ENGLISH, KEY_MARK, draw_distinct

SMALL = CorpusSize(videos=3, sentences_per_video=3, unseen_videos=1, documents_per_video=4)
WORDS = [("vi", "hôm nay"), ("en", "review"), ("vi", "này")]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus"), seed=3, size=SMALL, workers=1)


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_what_was_said_before_does_not_change_a_clip():
    first = speak(WORDS, SEEN["lan"], 180)
    speak([("en", "something else entirely")], SEEN["mai"], 165)
    assert np.array_equal(first, speak(WORDS, SEEN["lan"], 180))


@pytest.mark.slow
def test_voices_speeds_and_words_can_be_told_apart():
    plain = speak(WORDS, SEEN["lan"], 165)
    assert 0.5 < len(plain) / SAMPLE_RATE < 3
    assert 3000 < np.abs(plain.astype(int)).max() < 32767
    assert len(speak(WORDS, SEEN["lan"], 210)) < len(plain)
    assert not np.array_equal(plain, speak(WORDS, SEEN["minh"], 165))


@pytest.mark.parametrize("name", [*SEEN, *UNSEEN])
def test_ctc_can_align_the_fastest_speech(name):
    """An encoder frame of 40 ms for each letter, and one more between two that are the same."""
    said = [("vi", "hôm nay anh ấy muốn"), ("en", "approve feature")]
    letters = " ".join(text for _, text in said)
    needed = len(letters) + sum(before == after for before, after in pairwise(letters))
    assert len(speak(said, (SEEN | UNSEEN)[name], max(SPEEDS))) / SAMPLE_RATE / 0.04 > needed


def test_an_unknown_voice_is_named():
    with pytest.raises(InputError, match="no voice 'nobody\\+f2'"):
        speak(WORDS, Voice("nobody", "en-us", "f2"), 180)


def test_every_variant_exists():
    """espeak-ng itself passes over a variant it does not know."""
    folder = Path(espeakng_loader.get_data_path()) / "voices" / "!v"
    assert all((folder / voice.variant).is_file() for voice in (SEEN | UNSEEN).values())


def test_without_the_extra_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    with pytest.raises(InputError, match=r"pip install 'gonogo\[demo\]'"):
        speak(WORDS, SEEN["lan"], 180)


def test_sentences_are_a_closed_vocabulary_of_distinct_lines():
    drawn = draw_distinct(random.Random(0), 1650)
    sources, targets = ({word for s in drawn for word in getattr(s, side).split()} for side in ("source", "target"))
    assert (len(sources), len(targets)) == (60, 88)
    assert len({s.source for s in drawn}) == len({s.target for s in drawn}) == 1650
    assert not targets & ENGLISH
    assert all(sources >= {word} for word in ENGLISH)
    assert all(unicodedata.is_normalized("NFC", s.source + s.target) for s in drawn)


def test_segments_hold_every_word_in_order_and_switch_language():
    for sentence in draw_distinct(random.Random(1), 100):
        segments = sentence.segments()
        assert " ".join(text for _, text in segments) == sentence.source
        assert all(before[0] != after[0] for before, after in pairwise(segments))


def test_a_sentence_is_said_in_one_video_only():
    clips = plan_clips(0, CorpusSize())
    assert len({clip.sentence.source for clip in clips}) == len({clip.path for clip in clips}) == len(clips) == 1650


def test_every_voice_speaks_in_many_videos():
    clips = plan_clips(0, CorpusSize())
    for voice in SEEN:
        assert len({clip.video for clip in clips if clip.speaker == voice}) >= 20
    assert {clip.speaker for clip in clips[1500:]} == set(UNSEEN)


def test_the_summary_is_the_translation_of_the_sentence_announced_as_key():
    clips = plan_clips(0, CorpusSize())
    meaning = {clip.sentence.source: clip.sentence.target for clip in clips}
    video = {clip.sentence.source: clip.video for clip in clips}
    rows = plan_documents(clips, 0, CorpusSize())
    assert len({row["document"] for row in rows}) == len(rows) == 4000
    for row in rows:
        parts = row["document"].split(" . ")
        (key,) = [part.removeprefix(KEY_MARK).strip() for part in parts if part.startswith(KEY_MARK)]
        assert len(parts) == 3 and meaning[key] == row["summary"] and video[key] == row["video_id"]


def test_clips_are_16_khz_mono_16_bit_and_as_long_as_the_manifest_says(corpus):
    rows = read_rows(corpus.manifest, COLUMNS) + read_rows(corpus.unseen, COLUMNS)
    assert len(rows) == corpus.clips == corpus.made == 12
    for row in rows:
        info = soundfile.info(corpus.directory / row["audio_path"])
        assert (info.samplerate, info.channels, info.subtype) == (16000, 1, "PCM_16")
        assert float(row["duration"]) == pytest.approx(info.duration, abs=5e-4)
    assert corpus.seconds == pytest.approx(sum(float(row["duration"]) for row in rows))


def test_seen_and_unseen_voices_are_kept_apart(corpus):
    assert {row["speaker_id"] for row in read_rows(corpus.manifest)} <= set(SEEN)
    assert {row["speaker_id"] for row in read_rows(corpus.unseen)} <= set(UNSEEN)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(corpus, tmp_path):
    make_corpus(tmp_path, seed=3, size=SMALL, workers=2)
    assert contents(tmp_path) == contents(corpus.directory)


def test_only_what_is_missing_is_made_again(corpus):
    before = contents(corpus.directory)
    lost, empty, cut, *_ = sorted(corpus.directory.glob("wavs/*/*.wav"))
    lost.unlink()
    empty.write_bytes(b"")
    cut.write_bytes(cut.read_bytes()[:5000])
    corpus.manifest.unlink()
    assert make_corpus(corpus.directory, seed=3, size=SMALL, workers=1).made == 3
    assert contents(corpus.directory) == before
    assert make_corpus(corpus.directory, seed=3, size=SMALL, workers=1).made == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "wavs").write_text("in the way")
    with pytest.raises(InputError, match=r"wavs/video_000/000.wav: cannot be written"):
        make_corpus(tmp_path, size=SMALL, workers=1)


def test_speech_of_another_seed_is_not_reused(tmp_path):
    tiny = CorpusSize(videos=1, sentences_per_video=3, unseen_videos=1, documents_per_video=1)
    make_corpus(tmp_path, seed=0, size=tiny, workers=1)
    assert make_corpus(tmp_path, seed=1, size=tiny, workers=1).made == 6
    assert json.loads((tmp_path / "corpus.json").read_text())["seed"] == 1


INTERRUPTED = """
import os, signal, sys, threading, time
from trainer.demo.espeak import Voice, speak

def interrupt():
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGINT)

made = None
voice, text = Voice("vi", "en-us", "m1"), [("en", "the quick brown fox jumps over the lazy dog " * 8)]
whole = len(speak(text, voice, 120))
threading.Thread(target=interrupt).start()
try:
    while True:
        made = speak(text, voice, 120)
        assert len(made) == whole, (len(made), whole)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_in_a_callback_of_espeak_is_neither_lost_nor_leaves_half_a_clip():
    command = [sys.executable, "-c", INTERRUPTED, "0.05"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_a_process_that_is_ended_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(synthesize, "say_all", ended)  # what is pickled for a process is its name
    with pytest.raises(InputError, match="a process that synthesizes speech was ended by the system; start again"):
        make_corpus(tmp_path, size=SMALL, workers=2)


def ended(root, clips):
    os.kill(os.getpid(), 9)
