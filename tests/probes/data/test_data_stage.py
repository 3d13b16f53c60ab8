"""The data stage on plain values: what is sampled, what is measured, and what is left alone."""

import os
import random
import struct
from itertools import pairwise
from statistics import median

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

import diagnose
from diagnose import Severity, Status
from probes.data.amplitude_scale_is_off import amplitude_scale_is_off
from probes.data.audio_is_clipped import audio_is_clipped
from probes.data.duration_is_wrong_in_manifest import duration_is_wrong_in_manifest
from probes.data.near_text_is_in_both_splits import near_text_is_in_both_splits
from probes.data.speaker_is_in_both_splits import speaker_is_in_both_splits
from probes.data.speaking_rate_is_impossible import speaking_rate_is_impossible
from probes.facts.audio.decode_files import decode_row, seconds_of
from probes.facts.audio.types import AudioFile, AudioFiles, AudioHeader, RowWaveform, WaveformStats
from probes.facts.audio.waveform_stats import measure
from probes.facts.corpus.manifest_rows import read_rows
from probes.facts.corpus.row_sample import choose
from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.near_duplicates import nearest
from probes.facts.splits.types import GroupColumn, GroupColumns, NearDuplicates
from probes.facts.text.text_checks import read_texts
from probes.facts.text.types import SpeakingRate, SpeakingRates

TIME = np.arange(16_000) / 16_000


def tone(seconds=1.0, level=0.3):
    return (level * np.sin(2 * np.pi * 220 * np.arange(int(16_000 * seconds)) / 16_000)).astype(np.float32)


def row(number=0, **more):
    return CorpusRow(f"train.csv:{number}", **more)


# What is looked at


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 30), st.text(max_size=20)), min_size=1, max_size=60), st.integers(8, 40))
def test_a_sample_has_the_longest_and_the_shortest(rows, count):
    corpus = [row(n, seconds=seconds, texts={"transcript": text}) for n, (seconds, text) in enumerate(rows)]
    chosen = choose(corpus, count)
    assert chosen == sorted(set(chosen)) and len(chosen) == min(count, len(rows))
    lengths = [seconds for seconds, _ in rows]
    assert {max(lengths), min(lengths)} <= {lengths[number] for number in chosen}


def test_of_many_rows_the_oddest_are_among_those_looked_at():
    chance = random.Random(0)
    rows = [
        row(n, seconds=2 + chance.random(), size=70_000, audio="a.wav", texts={"transcript": "mẹ mua cá ở chợ"})
        for n in range(20_000)
    ]
    odd = {
        17: {"seconds": 29.0},
        4_001: {"seconds": 0.1},
        9_002: {"texts": {"transcript": "cÃ´ mua"}},
        11_003: {"size": 100},
        15_004: {"audio": "b.mp3"},
        19_005: {"texts": {"transcript": "mẹ mua cá ở chợ " * 40}},
    }
    for number, changes in odd.items():
        rows[number] = CorpusRow(**{**vars(rows[number]), **changes})
    chosen = choose(rows, 256)
    assert odd.keys() <= set(chosen) and len(chosen) == 256


def test_the_report_says_how_many_of_how_many_were_seen():
    facts = {"train_rows": [{"transcript": f"câu số {n}"} for n in range(500)]}
    (finding,) = diagnose.preflight(select=["DAT052"], **facts).findings
    assert finding.message.startswith("256 of 500 rows") and finding.severity is Severity.NOTE
    (outcome,) = diagnose.preflight(select=["DAT052"], data_sample_size="whole", **facts).outcomes
    assert outcome.status is Status.PASSED


# Audio


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 15_999), max_size=4))
def test_measuring_in_blocks_is_measuring(cuts):
    sound = tone() + 0.1
    edges = [0, *sorted(set(cuts)), len(sound)]
    whole = measure([sound], 16_000)
    parts = measure([sound[a:b] for a, b in pairwise(edges)], 16_000)
    assert whole.peak == pytest.approx(0.4, abs=1e-3) and whole.mean == pytest.approx(0.1, abs=1e-4)
    assert (parts.peak, parts.seconds) == (whole.peak, 1.0)
    assert parts.mean == pytest.approx(whole.mean) and parts.rms == pytest.approx(whole.rms)


def test_what_is_not_finite_is_counted_and_placed():
    sound = tone()
    sound[[8_000, 9_000]] = np.nan, np.inf
    wave = measure([sound[:4_000], sound[4_000:]], 16_000)
    assert wave.not_finite == 2 and wave.bad_second == 0.5 and wave.peak < 0.31


def test_flat_tops_are_counted_and_a_clean_tone_has_none():
    assert measure([tone()], 16_000).clipped_fraction == 0
    assert measure([np.clip(3 * tone(), -0.5, 0.5)], 16_000).clipped_fraction > 0.4
    assert measure([0 * tone()], 16_000).clipped_fraction == 0  # silence is not clipped


@pytest.mark.parametrize("kind", ["WAV", "FLAC", "OGG"])
def test_a_whole_file_is_whole_and_half_of_it_is_not(tmp_path, kind):
    path = tmp_path / "a.audio"
    soundfile.write(path, tone(2.0) + 0.01 * np.random.default_rng(0).normal(size=32_000), 16_000, format=kind)
    whole = decode_row(row(path=str(path), audio="a"))
    assert (
        whole.problem == ""
        and whole.header.seconds == pytest.approx(2.0)
        and seconds_of(str(path)) == whole.header.seconds
    )
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert decode_row(row(path=str(path), audio="a")).problem in ("truncated", "unreadable")


def test_a_streamed_wav_of_unknown_size_is_whole(tmp_path):
    path = tmp_path / "a.wav"
    soundfile.write(path, tone(), 16_000)
    data = bytearray(path.read_bytes())
    at = data.index(b"data")
    data[at + 4 : at + 8] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(data)
    assert decode_row(row(path=str(path), audio="a")).problem == ""


def test_what_is_no_file_does_not_stop_the_look(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "short.wav").write_bytes(b"RIFF\x00\x00\x00\x00WAVEfmt ")
    names = ["pipe", ".", "short.wav", "../outside.wav", "nul\0.wav", "nowhere.wav"]
    rows = [{"audio_path": name, "transcript": "mẹ mua cá"} for name in names]
    report = diagnose.preflight(stages=["data"], train_rows=rows, audio_root=tmp_path)
    assert not report.having(Status.CRASHED, Status.BLOCKED), [(o.probe, o.reason_chain) for o in report.outcomes]
    found = {(f.probe, f.where) for f in report.findings}
    assert {("DAT007", f"train row {n}") for n in (0, 1, 3)} | {
        ("DAT006", "train row 2"),
        ("DAT001", "train row 5"),
    } <= found


def test_rounding_in_the_manifest_is_no_fault():
    def clip(said, decimals, seconds, lossy=False):
        return AudioFile(row(seconds=said, decimals=decimals), header=AudioHeader(16_000, 1, seconds, "WAV", lossy))

    fine = (clip(2.0, 0, 2.7), clip(2.7, 1, 2.74), clip(2.744, 3, 2.7441), clip(2.744, 3, 2.85, lossy=True))
    assert not list(duration_is_wrong_in_manifest(AudioFiles(fine, 4)))
    (finding,) = duration_is_wrong_in_manifest(AudioFiles((*fine, clip(2744.0, 0, 2.744)), 5))
    assert "milliseconds" in finding.message


def test_a_few_clipped_clips_are_a_note_and_many_a_warning():
    loud, fine = WaveformStats(2.0, peak=1.0, clipped_fraction=0.02), WaveformStats(2.0, peak=0.9)
    heard = [RowWaveform(row(n), loud if n < 2 else fine) for n in range(40)]
    assert {finding.severity for finding in audio_is_clipped(tuple(heard))} == {Severity.NOTE}
    assert {finding.severity for finding in audio_is_clipped(tuple(heard[:6]))} == {None}


# Texts


def test_marks_of_every_kind_are_found_and_plain_texts_are_left_alone():
    texts = [
        "[cười] xin chào",
        "**đậm**",
        "*nghiêng* nhé",
        "<i>x</i>",
        "a &amp; b",
        "3 * 4 = 12 và 2*6",
        "5 < 6 và 7 > 2",
    ]
    rows = read_rows([{"transcript": text} for text in texts], None, "train")
    assert [bool(text.markup) for text in read_texts(rows)] == [True] * 5 + [False] * 2


@pytest.mark.parametrize(
    "text", ["ÂM NHẠC VIỆT NAM", "naïve café", "it’s “fine”…", "Ỹ Ỵ ỷ ỹ", "привет мир", "日本語　です", "می‌خواهم"]
)
def test_sound_texts_of_many_languages_are_left_alone(text):
    (read,) = read_texts(read_rows([{"transcript": text}], None, "train"))
    assert not (read.markup or read.repaired or read.decomposed or read.invisible or read.homoglyph_words)


def test_the_pace_is_judged_by_the_corpus():
    paces = [SpeakingRate(row(n), "transcript", 30 + n, 2.0) for n in range(20)]
    fast, slow = SpeakingRate(row(98), "transcript", 400, 2.0), SpeakingRate(row(99), "transcript", 20, 20.0)
    usual = median(pace.rate for pace in paces)
    assert not list(speaking_rate_is_impossible(SpeakingRates(20, usual, tuple(paces))))
    found = list(speaking_rate_is_impossible(SpeakingRates(22, usual, (*paces, fast, slow))))
    assert [(f.where, f.severity) for f in found] == [("train.csv:98", None), ("train.csv:99", Severity.NOTE)]


# Both sides of the split


def test_near_texts_alarm_only_beyond_what_training_has_itself():
    def judged(eval_near, train_near):
        near = ((row(1), row(2), 0.95),)
        return list(near_text_is_in_both_splits(NearDuplicates(0.9, eval_near, 150, train_near, 1000, near)))

    assert not judged(8, 39) and not judged(140, 900) and not judged(2, 0)
    assert judged(60, 39)


def test_near_texts_are_found_by_both_ways():
    chance = random.Random(0)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 8))) for _ in range(2000)]
    texts = [" ".join(chance.choices(words, k=8)) for _ in range(3000)]
    queries = [text[:-3] + "xyz" for text in texts[:40]] + [" ".join(chance.choices(words, k=8)) for _ in range(40)]
    groups = [f"t{n}" for n in range(len(texts))]
    few = nearest(queries, texts, 0.9, ["q"] * 80, groups)
    assert [at for at, _ in few[:40]] == list(range(40)) and all(at == -1 for at, _ in few[40:])
    many = nearest(queries, texts * 4, 0.9, ["q"] * 80, groups * 4)  # beyond what is compared all with all
    assert sum(at % 3000 == n for n, (at, _) in enumerate(many[:40])) >= 36
    assert all(at == -1 for at, _ in many[40:])


@pytest.mark.parametrize(("video_apart", "severity"), [(True, Severity.NOTE), (False, None)])
def test_a_shared_speaker_is_a_note_where_the_split_is_by_video(video_apart, severity):
    speaker = GroupColumn("speaker_id", "speaker", 8, 8, (("lan", 20),), row(3))
    video = GroupColumn("video_id", "video", 80, 10, () if video_apart else (("v1", 3),), row(3))
    (finding,) = speaker_is_in_both_splits(GroupColumns((speaker,), 150), GroupColumns((speaker, video), 150))
    assert finding.severity == severity


def test_manifest_rows_keep_their_place(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    rows = [
        {"audio_path": "a.wav", "transcript": "xin chào", "_file": "train.csv", "_line": "2"},
        {"audio_path": "b.wav", "transcript": "", "_file": "train.csv", "_line": "3"},
    ]
    report = diagnose.preflight(train_rows=rows, audio_root=tmp_path, select=["DAT001", "DAT002"])
    found = {finding.probe: finding for finding in report.findings}
    assert {(f.probe, f.where, f.file, f.line) for f in report.findings} == {
        ("DAT001", "train.csv:3", "train.csv", 3),
        ("DAT002", "train.csv:3", "train.csv", 3),
    }
    assert "1 of 2 audio files are missing" in found["DAT001"].message
    without_root = diagnose.preflight(train_rows=rows)
    audio = next(outcome for outcome in without_root.outcomes if outcome.probe == "DAT001")
    assert audio.status is Status.SKIPPED and "pass audio_root" in audio.reason


@pytest.mark.parametrize(("mean", "rms", "told"), [(0.0, 1.0, False), (0.0, 8000.0, True), (0.5, 1.0, True)])
def test_samples_normalised_to_unit_variance_have_their_own_scale(mean, rms, told):
    row = CorpusRow("train_dataset[0]", "train")
    wave = WaveformStats(1.0, (16_000,), "float32", peak=7 * rms, mean=mean, rms=rms)
    assert bool(list(amplitude_scale_is_off((RowWaveform(row, wave, loaded=True),)))) is told
