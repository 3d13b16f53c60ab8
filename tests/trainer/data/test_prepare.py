"""Cleaning: each rule by its example, each removal by a real file, and every count adds up."""

import doctest
import time
import unicodedata
from itertools import product

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.common.errors import InputError
from trainer.config.schema import Audio, Config
from trainer.data import text_cleaning
from trainer.data.manifest import columns_of, read_rows, write_rows
from trainer.data.prepare import needed_texts, prepare, prepare_for
from trainer.data.text_cleaning import clean

COLUMNS = ["audio_path", "transcript", "translation", "duration", "video_id"]


def test_every_rule_does_what_its_example_says():
    result = doctest.testmod(text_cleaning)
    assert result.attempted >= len(text_cleaning.RULES) and not result.failed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[cười] Xin chào", "Xin chào"),
        ("Xin chào [laughter]", "Xin chào"),
        ("so [music] good", "so good"),
        ("so[music]good", "so good"),
        ("[cười] [vỗ tay] Xin [x][y] chào", "Xin chào"),
        ("[[music]] chào", "chào"),
        ("thật à [cười]?", "thật à?"),
        ("**Hello**", "Hello"),
        ("*italics* và ***cả hai***", "italics và cả hai"),
        ("**a *b* c**", "a b c"),
        ("3 * 4 * 5 = 60, 2*3*10", "3 * 4 * 5 = 60, 2*3*10"),
        ("[a link](http://x.y) stays", "[a link](http://x.y) stays"),
        (
            "[" + "a long remark that somebody wrote in brackets" + "]",
            "[a long remark that somebody wrote in brackets]",
        ),
        ("Hello  world", "Hello world"),
        (" Hello\u00a0\u202f\tworld\r\n", "Hello world"),
        ("\ufeffxin\u200b chào", "xin chào"),
        ("tiê\u0301ng Viê\u0323t", "tiếng Việt"),
        ("[cười]", ""),
        ("\u00a0 ", ""),
    ],
)
def test_texts_are_cleaned_as_the_seeds_table_says(before, after):
    assert clean(before)[0] == after


@settings(deadline=None)
@given(st.text(st.sampled_from("ab*[]() \u00a0\u200b.?\u0301e\n9"), max_size=30))
def test_cleaning_twice_changes_nothing_more(raw):
    once, used = clean(raw)
    assert clean(once) == (once, set())
    assert bool(used) == (once != raw)
    assert once == once.strip() and "  " not in once and unicodedata.is_normalized("NFC", once)


def seconds_to_clean(text):
    def once():
        start = time.process_time()
        clean(text)
        return time.process_time() - start

    return min(once() for _ in range(5))


def test_a_hostile_text_does_not_stop_the_work():
    """Four times the text takes about four times as long; with quadratic work it would be sixteen times."""
    for piece, end in product(("**a ", "*a ", "[a ", "[", "**", " ", "[a]", "(*"), ("", "[")):
        assert seconds_to_clean(piece * 20_000 + end) < 10 * seconds_to_clean(piece * 5_000 + end), (piece, end)


@pytest.fixture
def corpus(tmp_path):
    """Three good clips and one of every sort that must go."""
    rng = np.random.default_rng(0)

    def wav(name, seconds, **options):
        soundfile.write(tmp_path / name, rng.normal(0, 0.1, round(seconds * 16000)), 16000, **options)

    for name, seconds in (("a.wav", 1), ("b.wav", 2.5), ("c.wav", 30), ("short.wav", 0.4), ("long.wav", 30.5)):
        wav(name, seconds)
    wav("nan.wav", 1, subtype="FLOAT")
    wav("half.wav", 2)
    samples = np.zeros(16000, np.float32)
    samples[5] = np.nan
    soundfile.write(tmp_path / "nan.wav", samples, 16000, subtype="FLOAT")
    half = (tmp_path / "half.wav").read_bytes()
    (tmp_path / "half.wav").write_bytes(half[: len(half) // 2])
    (tmp_path / "zero.wav").touch()
    (tmp_path / "text.wav").write_text("not audio at all")
    rows = [
        ("a.wav", "[cười] **Xin** chào", "Hello\u00a0", "1.0", "v1"),
        ("b.wav", "hai", "two", "7.0", "v1"),
        ("c.wav", "ba", "three", "", "v2"),
        ("a.wav", "[music]", "nothing spoken", "1.0", "v2"),
        ("a.wav", "bốn", "  ", "1.0", "v2"),
        ("nowhere.wav", "năm", "five", "1.0", "v2"),
        ("../a.wav", "sáu", "six", "1.0", "v2"),
        ("zero.wav", "bảy", "seven", "1.0", "v2"),
        ("half.wav", "tám", "eight", "2.0", "v2"),
        ("text.wav", "chín", "nine", "1.0", "v3"),
        ("nan.wav", "mười", "ten", "1.0", "v3"),
        ("short.wav", "ừ", "yes", "0.4", "v3"),
        ("long.wav", "dài", "long", "30.0", "v3"),
    ]
    write_rows(tmp_path / "manifest.tsv", [dict(zip(COLUMNS, row, strict=True)) for row in rows], COLUMNS)
    return tmp_path


def test_each_rule_is_counted_and_the_rest_goes_on(corpus):
    report = prepare(corpus / "manifest.tsv", corpus / "clean.tsv", corpus)
    assert report.removed == {
        "empty transcript": 1,
        "empty translation": 1,
        "missing audio": 1,
        "audio outside the data root": 1,
        "empty audio": 1,
        "truncated audio": 1,
        "unreadable audio": 1,
        "NaN or Inf in audio": 1,
        "too short": 1,
        "too long": 1,
    }
    assert report.changed == {
        "strip tags": 1,
        "strip emphasis": 1,
        "normalize whitespace": 1,
        "normalize to NFC": 0,
        "fill in duration": 1,
        "correct duration": 1,
    }
    assert (report.rows_in, report.rows_out, report.seconds) == (13, 3, 33.5)
    assert report.rows_in == report.rows_out + sum(report.removed.values())


def test_what_is_written_is_clean_and_measured(corpus):
    report = prepare(corpus / "manifest.tsv", corpus / "clean.tsv", corpus)
    rows = read_rows(report.output, COLUMNS)
    assert columns_of(rows) == COLUMNS
    assert [(row["transcript"], row["translation"], row["duration"]) for row in rows] == [
        ("Xin chào", "Hello", "1.0"),
        ("hai", "two", "2.500"),
        ("ba", "three", "30.000"),
    ]


def test_the_removed_rows_are_kept_as_they_were_with_line_and_reason(corpus):
    report = prepare(corpus / "manifest.tsv", corpus / "clean.tsv", corpus)
    assert report.removed_path == corpus / "clean_removed.tsv"
    rows = read_rows(report.removed_path, COLUMNS)
    before = {row["_line"]: row for row in read_rows(corpus / "manifest.tsv")}
    assert [row["removed_from_line"] for row in rows] == [str(line) for line in range(5, 15)]
    for row in rows:
        origin = before[row["removed_from_line"]]
        assert all(row[name] == origin[name] for name in COLUMNS)
        assert row["removed_by"] in report.removed and row["removed_because"]
    assert "30.500 s and would be cut at 30 s" in rows[-1]["removed_because"]


def test_removed_rows_can_be_mended_and_prepared_again(corpus):
    first = prepare(corpus / "manifest.tsv", corpus / "clean.tsv", corpus)
    soundfile.write(corpus / "nowhere.wav", np.zeros(16000), 16000)
    second = prepare(first.removed_path, corpus / "mended.tsv", corpus)
    assert second.rows_out == 1 and read_rows(second.output)[0]["audio_path"] == "nowhere.wav"
    assert len(read_rows(second.removed_path)) == 9


def test_a_clean_manifest_stays_as_it_is(corpus):
    first = prepare(corpus / "manifest.tsv", corpus / "clean.tsv", corpus)
    second = prepare(first.output, corpus / "again.tsv", corpus)
    assert second.rows_out == 3 and not any(second.changed.values()) and not any(second.removed.values())
    assert (corpus / "again.tsv").read_bytes() == first.output.read_bytes()
    assert (corpus / "again_removed.tsv").exists(), "an old file of removed rows would tell of another run"


def with_durations(corpus, rates, durations):
    """A manifest of one-second clips at these rates by their headers."""
    rows = []
    for number, (rate, duration) in enumerate(zip(rates, durations, strict=True)):
        soundfile.write(corpus / f"r{number}.wav", np.sin(np.arange(rate) / 9), rate)
        rows.append({"audio_path": f"r{number}.wav", "transcript": f"câu {number}", "duration": duration})
    write_rows(corpus / "rates.csv", rows, list(rows[0]))
    report = prepare(corpus / "rates.csv", corpus / "rates_clean.csv", corpus)
    return report, [row["duration"] for row in read_rows(report.output)]


def test_a_duration_that_shows_a_wrong_sample_rate_is_kept_and_told(corpus, caplog):
    report, kept = with_durations(corpus, [16000] * 6, ["0.333", "0.3333", "0.335", "1.0", "0.77", "0.5"])
    assert kept == ["0.333", "0.3333", "0.335", "1.0", "1.000", "1.000"]  # 0.5 s are 32,000 Hz, but of one clip
    assert report.changed["correct duration"] == 2
    (told,) = [record.message for record in caplog.records]
    assert told.startswith("3 clips, such as r0.wav, have 16000 Hz in the header") and "at 48000 Hz" in told


def test_clips_that_were_cut_again_are_corrected_though_some_fit_a_rate_by_chance(corpus, caplog):
    durations = ["0.5", "0.501", "0.499", *(f"{1.31 + 0.012 * number:.3f}" for number in range(40))]
    report, kept = with_durations(corpus, [16000] * 43, durations)
    assert kept == ["1.000"] * 43 and report.changed["correct duration"] == 43 and not caplog.records


def test_a_missing_duration_column_is_added(corpus):
    write_rows(corpus / "m.csv", [{"audio_path": "b.wav", "transcript": "hai"}], ["audio_path", "transcript"])
    report = prepare(corpus / "m.csv", corpus / "out.csv", corpus)
    row = read_rows(report.output)[0]
    assert row["duration"] == "2.500" and report.changed["fill in duration"] == 1


def test_the_limits_of_the_configuration_hold(corpus):
    report = prepare(
        corpus / "manifest.tsv", corpus / "o.tsv", corpus, Audio(max_length_seconds=2.0, min_length_seconds=0.1)
    )
    assert [row["audio_path"] for row in read_rows(report.output)] == ["a.wav", "short.wav"]
    assert report.removed["too long"] == 3


def test_texts_that_the_task_does_not_need_may_be_empty(corpus):
    config = Config.model_validate(
        {"model": {"task": "transcribe"}, "paths": {"data_root": corpus, "manifest_path": "manifest.tsv"}}
    )
    report = prepare_for(config, corpus / "clean.tsv")
    assert "empty translation" not in report.removed and report.rows_out == 4
    assert read_rows(report.output)[0]["translation"] == "Hello", "and are cleaned all the same"


@pytest.mark.parametrize(
    ("model", "texts"),
    [
        ({"type": "whisper", "task": "both"}, ("transcript", "translation")),
        ({"type": "whisper", "task": "transcribe"}, ("transcript",)),
        ({"type": "e2e", "task": "translate"}, ("translation",)),
        ({"type": "hybrid", "task": "translate", "ctc_weight": 0.3}, ("transcript", "translation")),
        ({"type": "mt5"}, ("document", "summary")),
    ],
)
def test_a_task_needs_its_texts(model, texts):
    assert needed_texts(Config.model_validate({"model": model})) == texts


def test_documents_are_cleaned_without_audio(tmp_path):
    rows = [
        {"document": "**Tin** nóng  hôm nay", "summary": "Tin"},
        {"document": "[x]", "summary": "gone"},
        {"document": "x", "summary": ""},
    ]
    write_rows(tmp_path / "news.csv", rows, ["document", "summary"])
    report = prepare(tmp_path / "news.csv", tmp_path / "clean.csv")
    assert report.removed == {"empty document": 1, "empty summary": 1}
    assert columns_of(read_rows(report.output)) == ["document", "summary"]
    assert read_rows(report.output)[0]["document"] == "Tin nóng hôm nay"


def test_nothing_left_is_told_and_the_reasons_are_kept(tmp_path):
    write_rows(tmp_path / "m.tsv", [{"audio_path": "x.wav", "transcript": "y"}] * 3, ["audio_path", "transcript"])
    with pytest.raises(InputError, match="no row is left of 3; 3 were removed by 'missing audio'"):
        prepare(tmp_path / "m.tsv", tmp_path / "o.tsv", tmp_path)
    assert not (tmp_path / "o.tsv").exists() and len(read_rows(tmp_path / "o_removed.tsv")) == 3


def test_the_input_is_never_written_over(corpus):
    with pytest.raises(InputError, match="output is the input"):
        prepare(corpus / "manifest.tsv", corpus / "." / "manifest.tsv", corpus)


@pytest.mark.parametrize(
    ("columns", "missing"),
    [(["sound", "said"], "'audio_path', 'transcript'"), (["document", "abstract"], "'summary'")],
)
def test_missing_columns_are_named(tmp_path, columns, missing):
    write_rows(tmp_path / "m.csv", [dict.fromkeys(columns, "x")], columns)
    with pytest.raises(InputError, match=f"no column {missing}"):
        prepare(tmp_path / "m.csv", tmp_path / "o.csv")


def test_the_report_is_a_table_and_talk_goes_to_stderr(corpus, capsys):
    from rich.console import Console

    report = prepare(corpus / "manifest.tsv", corpus / "clean.tsv", corpus)
    captured = capsys.readouterr()
    assert captured.out == "" and "prepare: 13/13" in captured.err
    console = Console(width=80, record=True, file=None, stderr=True)
    console.print(report.table())
    shown = console.export_text()
    assert "13 rows in, 3 out" in shown and "truncated audio (removed)" in shown
