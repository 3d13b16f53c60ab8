"""Manifests: what is odd is read, what is broken is named, what is written is read back."""

import csv
import os
import resource
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.common import atomic_write
from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.manifest import columns_of, read_readable_rows, read_rows, row_id, write_rows

HEADER = "audio_path\ttranscript\ttranslation\n"
NEEDED = ("audio_path", "transcript")


def put(folder, content, name="manifest.tsv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path, required=NEEDED):
    with pytest.raises(InputError) as caught:
        read_rows(path, required)
    sentence = caught.value.message
    assert caught.value.exit_code == 2
    assert str(path) in sentence and "\n" not in sentence and "; " in sentence, "file, finding and remedy in one line"
    return sentence


def values(rows):
    return [[row[name] for name in columns_of(rows)] for row in rows]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.tsv", HEADER.encode() + "a.wav\tXin chào\tHello\n".encode()),
        ("m.tsv", b"\xef\xbb\xbf" + HEADER.encode() + "a.wav\tXin chào\tHello\n".encode()),
        ("m.tsv", (HEADER + "a.wav\tXin chào\tHello\n").replace("\n", "\r\n").encode()),
        ("m.tsv", (HEADER + "a.wav\tXin chào\tHello\n").replace("\n", "\r").encode()),
        ("m.tsv", (HEADER + 'a.wav\t"Xin chào"\tHello').encode()),
        ("m.tsv", (HEADER + "\n   \na.wav\tXin chào\tHello\n\n").encode()),
        ("m.csv", (HEADER + "a.wav\tXin chào\tHello\n").encode()),
        ("m.csv", (HEADER + "a.wav\tXin chào\tHello\n").replace("\t", ",").encode()),
        ("m.tsv", (HEADER + "a.wav\tXin chào\tHello\n").replace("\t", ";").encode()),
        ("m.csv", (" audio_path , transcript,translation\n" + "a.wav,Xin chào,Hello\n").encode()),
    ],
    ids=["plain", "bom", "windows", "old mac", "quotes", "blank", "tabs in csv", "commas", "semicolons", "spaces"],
)
def test_odd_files_are_read(tmp_path, name, content):
    rows = read_rows(put(tmp_path, content, name), NEEDED)
    assert values(rows) == [["a.wav", "Xin chào", "Hello"]]


def test_a_row_knows_its_line_also_after_a_text_of_two_lines(tmp_path):
    path = put(tmp_path, HEADER + 'a.wav\t"two\nlines"\tx\n\nb.wav\tlast\tx\n')
    rows = read_rows(path, NEEDED)
    assert [row["_line"] for row in rows] == ["2", "5"]
    assert row_id(rows[1]) == f"{path}:5"
    assert columns_of(rows) == ["audio_path", "transcript", "translation"]


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_named(tmp_path, content):
    assert "is empty" in refusal(put(tmp_path, content))


def test_a_header_without_rows_is_named(tmp_path):
    assert "but no rows" in refusal(put(tmp_path, HEADER))


def test_a_missing_file_names_its_neighbour(tmp_path):
    put(tmp_path, HEADER, "manifest.tsv")
    assert "manifest.tsv" in refusal(tmp_path / "manifst.tsv")
    refusal(tmp_path / "nowhere" / "manifest.tsv")


def test_a_folder_and_a_pipe_are_refused_without_waiting(tmp_path):
    assert "folder" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.tsv")
    assert "pipe" in refusal(tmp_path / "pipe.tsv")


def test_all_missing_columns_are_named_with_the_nearest(tmp_path):
    sentence = refusal(put(tmp_path, "audio\tTranscript\nx\ty\n"), ("audio_path", "transcript", "duration"))
    assert "'audio_path', 'transcript', 'duration'" in sentence
    assert "rename 'Transcript' to 'transcript'" in sentence and "add 'duration'" in sentence


def test_a_column_that_stands_twice_is_named(tmp_path):
    assert "'transcript' is duplicated" in refusal(put(tmp_path, "transcript\ttranscript\nx\ty\n"))


def test_the_names_of_the_origin_are_kept(tmp_path):
    assert "'_line'" in refusal(put(tmp_path, "audio_path\ttranscript\t_line\nx\ty\t3\n"))


@pytest.mark.parametrize(
    ("body", "line", "field"),
    [
        ('a.wav\tone\tx\nb.wav\t"never closed\tx\nc.wav\tthree\tx\n', 3, 2),
        ('a.wav\tone\tx\nb.wav\t"never closed\tx\nc.wav\t"three"\tx\n', 3, 2),
        ('a.wav\t"two\nlines"\t"opens here\nb.wav\tone\tx\n', 3, 3),
        ('a.wav\t"Hello" he said\tx\n', 2, 2),
        ('"a.wav\tone\tx\n', 2, 1),
    ],
    ids=["to the end", "until the next quote", "after a long text", "text after it", "first field"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_unclosed_quote_is_named_where_it_opens(tmp_path, body, line, field, newline):
    sentence = refusal(put(tmp_path, (HEADER + body).replace("\n", newline)))
    assert f"line {line}: a quote opens in field {field}" in sentence


def test_a_quote_inside_a_text_is_text(tmp_path):
    rows = read_rows(put(tmp_path, HEADER + 'a.wav\the said "hi"\t5" disk\n'))
    assert values(rows) == [["a.wav", 'he said "hi"', '5" disk']]


def test_bytes_that_are_not_utf8_are_named_with_line_and_byte(tmp_path):
    head = (HEADER + "a.wav\tone\tx\nb.wav\t").encode()
    sentence = refusal(put(tmp_path, head + "xin chào".encode("cp1258", "replace") + b"\xe9\n"))
    assert "line 3" in sentence and "0x" in sentence and "UTF-8" in sentence
    assert "UTF-16" in refusal(put(tmp_path, HEADER.encode("utf-16")))


def test_nul_bytes_are_named(tmp_path):
    assert "line 2: found a NUL byte" in refusal(put(tmp_path, HEADER + "a.wav\tone\0\tx\n"))


@pytest.mark.parametrize(("body", "found"), [("a.wav\tone\n", 2), ("a.wav\tone\ttwo\tthree\n", 4)])
def test_a_ragged_row_is_named(tmp_path, body, found):
    assert f"line 3: found {found} fields, expected 3" in refusal(put(tmp_path, HEADER + "z.wav\tx\ty\n" + body))


def test_a_document_longer_than_csvs_limit_is_read(tmp_path):
    limit = csv.field_size_limit()
    rows = read_rows(put(tmp_path, f"document,summary\n{'x' * 200_000},short\n", "t.csv"), ("document",))
    assert len(rows[0]["document"]) == 200_000
    assert csv.field_size_limit() == limit, "the limit of other readers stays what it was"


nasty = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12) | st.sampled_from(
    ['"', '""', "\r", "\r\n", "\t", ",", ";", " ", "\u00a0", "\u2028", "a\u0323\u0302", "\ufeff", '"\n"', "\\", "'"]
)


@pytest.mark.parametrize("name", ["m.tsv", "m.csv"])
@pytest.mark.parametrize("columns", [["text"], ["audio_path", "transcript", "translation"]])
@settings(deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_back(tmp_path_factory, name, columns, data):
    table = data.draw(st.lists(st.lists(nasty, min_size=len(columns), max_size=len(columns)), min_size=1, max_size=5))
    path = tmp_path_factory.mktemp("round") / name
    write_rows(path, [dict(zip(columns, fields, strict=True)) for fields in table], columns)
    rows = read_rows(path, columns)
    assert values(rows) == table
    write_rows(path, rows, columns_of(rows))
    assert values(read_rows(path)) == table


def test_a_failed_write_leaves_the_old_files(tmp_path):
    old, blocked = put(tmp_path, "old", "old.tsv"), tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    with pytest.raises(InputError, match="cannot be written"):
        write_files({old: "new", blocked / "other.tsv": "new"})
    assert old.read_text() == "old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["blocked", "old.tsv"], "no draft is left"


def test_a_write_that_breaks_off_is_told_and_the_old_file_stays(tmp_path):
    """The system's limit on file size stands in for a full disk: the write stops in the middle."""
    path = put(tmp_path, HEADER, "m.tsv")
    handler, limits = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot be written") as caught:
            write_rows(path, [{"text": "x" * 5000}], ["text"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert "m.tsv" in caught.value.message
    assert path.read_text() == HEADER and len(list(tmp_path.iterdir())) == 1


def test_a_set_of_files_is_never_half_old(tmp_path, monkeypatch):
    """Killed between two renames, a set lacks a file; it never holds an old one beside a new one."""
    paths = [put(tmp_path, "old", name) for name in ("train.csv", "dev.csv", "test.csv")]

    def killed(folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic_write, "sync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_files(dict.fromkeys(paths, "new"))
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert left == {"train.csv": "new"}


BAD_ROWS = [
    ("a.wav,hello\n", "found 2 fields, expected 3 as in the column names"),
    ("a.wav,hel\0lo,1.5\n", "found a NUL byte, expected text"),
    ('a.wav,"hello,1.5\n', "a quote opens in field 2 without a closing quote"),
]
HEAD, GOOD = "audio_path,transcript,duration\n", "b.wav,good,2.0\n"


def test_rows_that_cannot_be_read_are_all_named_and_the_others_are_read(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text(HEAD + "".join(GOOD + bad for bad, _ in BAD_ROWS) + GOOD)
    rows, problems = read_readable_rows(path)
    assert [row["_line"] for row in rows] == ["2", "4", "6", "8"]
    assert [problem.line for problem in problems] == [3, 5, 7] and not any(one.is_readable for one in problems)
    assert all(words in problem.message for problem, (_, words) in zip(problems, BAD_ROWS, strict=True))
    with pytest.raises(InputError, match=r"line 3: found 2 fields.*2 more rows cannot be read, on line 5, 7"):
        read_rows(path)


def test_bad_lines_of_json_are_all_named_and_the_others_are_read(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text('{"text": "a"}\n{"text": \n[1]\n{"text": "b"}\n')
    rows, problems = read_readable_rows(path)
    assert [row["text"] for row in rows] == ["a", "b"] and [problem.line for problem in problems] == [2, 3]


@pytest.mark.parametrize("duration", ["NaN", "-1", "abc", "0", "inf", "1,5", "--", "1e999", "12:30", "１.５x"])
def test_a_duration_that_makes_no_sense_is_named_and_its_is_readable(tmp_path, duration):
    path = tmp_path / "train.csv"
    path.write_text(HEAD + GOOD + f'a.wav,x,"{duration}"\nc.wav,y,\n')
    rows, (problem,) = read_readable_rows(path)
    assert len(rows) == 3 and problem.line == 3 and problem.is_readable
    assert problem.message.startswith(f"the duration is {duration!r}, expected seconds above 0")


def test_many_open_quotes_end_in_time(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text(HEAD + (GOOD + 'a.wav,"x"y,1\n') * 200)
    with pytest.raises(InputError, match="more than 100 rows have one"):
        read_readable_rows(path)
