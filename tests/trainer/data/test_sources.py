"""Manifests of other projects: formats, column names, folders, Hugging Face datasets, and groups of rows."""

import json

import datasets
import pytest

from diagnose.common.errors import InputError
from tests.support.own_clips import make_clips, write_csv
from trainer.data.columns import usual_columns
from trainer.data.manifest import columns_of, read_rows
from trainer.data.split import split
from trainer.init.measure import audio_root
from trainer.init.source import ALL, find_source

HEADERS = {
    "Common Voice": ("client_id path sentence up_votes locale", {"audio_path": "path", "transcript": "sentence"}),
    "NeMo": (
        "audio_filepath text duration",
        {"audio_path": "audio_filepath", "transcript": "text", "duration": "duration"},
    ),
    "audiofolder": ("file_name transcription", {"audio_path": "file_name", "transcript": "transcription"}),
    "MLS": ("audio transcript speaker_id", {"audio_path": "audio", "transcript": "transcript"}),
    "ours": (
        "audio_path transcript translation video_id",
        {"audio_path": "audio_path", "transcript": "transcript", "translation": "translation"},
    ),
    "capitals": ("Path Sentence", {"audio_path": "Path", "transcript": "Sentence"}),
    "ours beside theirs": ("path text audio_path", {"audio_path": "audio_path", "transcript": "text"}),
    "nobody's": ("x y", {}),
}


@pytest.mark.parametrize(("header", "found"), HEADERS.values(), ids=HEADERS)
def test_usual_names_are_known(header, found):
    assert usual_columns(header.split()) == found


def test_a_mapping_goes_before_a_guess_and_holds_for_files_that_train_wrote(tmp_path):
    path = write_csv(tmp_path / "m.csv", ("path", "sentence", "normalized"), [("a.wav", "Hi!", "hi")])
    named = {"transcript": "normalized"}
    (row,) = read_rows(path, ("audio_path", "transcript"), named)
    assert (row["audio_path"], row["transcript"], row["sentence"]) == ("a.wav", "hi", "Hi!")
    ours = write_csv(tmp_path / "ours.csv", ("audio_path", "transcript"), [("a.wav", "hi")])
    assert columns_of(read_rows(ours, columns=named)) == ["audio_path", "transcript"]
    with pytest.raises(InputError, match=r"no column 'words', which data.columns names, found 'path', 'sentence'"):
        read_rows(path, columns={"transcript": "words", "audio_path": "path"})


def test_without_a_mapping_names_stay_as_they_are(tmp_path):
    path = write_csv(tmp_path / "m.csv", ("path", "text"), [("a", "b")])
    assert columns_of(read_rows(path)) == ["path", "text"]


def test_json_lines_have_all_keys_and_know_their_line(tmp_path):
    values = [{"audio": {"path": "a.wav", "bytes": None}, "text": "ê", "n": 1}, {"audio": "b.wav", "more": [1, "é"]}]
    (tmp_path / "m.jsonl").write_text("\n" + "\n".join(map(json.dumps, values)), encoding="utf-8")
    first, second = read_rows(tmp_path / "m.jsonl")
    assert columns_of([first]) == ["audio", "text", "n", "more"]
    assert (first["audio"], first["n"], first["more"], first["_line"]) == ("a.wav", "1", "", "2")
    assert (second["audio"], second["text"], second["more"]) == ("b.wav", "", '[1, "é"]')


def test_a_folder_without_a_text_beside_a_clip_is_refused(tmp_path):
    make_clips(tmp_path, 2)
    (tmp_path / "clips" / "000.txt").write_text("one")
    with pytest.raises(InputError, match=r"1 of 2 audio files have no text .* clips/001.wav, expected 001.txt; add"):
        read_rows(tmp_path)


def test_an_id_of_librispeech_without_a_clip_is_named(tmp_path):
    make_clips(tmp_path, 1)
    (tmp_path / "clips" / "a.trans.txt").write_text("000 HELLO\n001 GONE\n")
    with pytest.raises(InputError, match=r"a.trans.txt, line 2: found the id '001', expected an audio file"):
        read_rows(tmp_path)
    (tmp_path / "clips" / "a.trans.txt").write_text("000 HELLO  THERE\n")
    (row,) = read_rows(tmp_path / "clips" / "a.trans.txt")
    assert (row["audio_path"], row["transcript"], row["speaker_id"]) == ("000.wav", "HELLO THERE", "000")


def speech(folder, rows, **more):
    values = {"audio": [str(folder / path) for path, _ in rows], "sentence": [text for _, text in rows], **more}
    return datasets.Dataset.from_dict(values).cast_column("audio", datasets.Audio(decode=False))


@pytest.fixture
def saved(tmp_path):
    """A dataset with its clips embedded, as save_to_disk writes it: one table, and one with splits."""
    rows = make_clips(tmp_path / "raw", 8)
    content = [(tmp_path / "raw" / path).read_bytes() for path, _ in rows]
    clips = [{"path": f"{index}.wav", "bytes": one} for index, one in enumerate(content)]
    table = datasets.Dataset.from_dict({"audio": clips, "sentence": [text for _, text in rows]})
    table = table.cast_column("audio", datasets.Audio(decode=False)).cast_column("audio", datasets.Audio())
    table.save_to_disk(tmp_path / "one")
    parts = {"train": table.select(range(6)), "validation": table.select([6]), "test": table.select([7])}
    datasets.DatasetDict(parts).save_to_disk(tmp_path / "parts")
    return tmp_path, content


def test_a_saved_dataset_becomes_files_and_rows(saved):
    folder, content = saved
    source = find_source(folder / "new", str(folder / "one"))
    rows = source.tables[ALL].rows
    assert [(folder / "new" / row["audio"]).read_bytes() for row in rows] == content
    assert rows[0]["sentence"] == "the train to the coast leaves at nine" and source.exported
    with pytest.raises(InputError, match="audio: found a folder, expected none"):
        find_source(folder / "new", str(folder / "one"))


def test_the_splits_of_a_saved_dataset_are_kept(saved):
    folder, _ = saved
    source = find_source(folder / "new", str(folder / "parts"))
    assert {name: len(table.rows) for name, table in source.tables.items()} == {"train": 6, "dev": 1, "test": 1}


def test_a_saved_dataset_is_no_manifest_and_a_name_without_network_is_told(saved, monkeypatch):
    folder, _ = saved
    with pytest.raises(InputError, match="found a folder with a Hugging Face dataset, expected a manifest file; run"):
        read_rows(folder / "one")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="nobody/nothing: the package datasets cannot load it"):
        find_source(folder / "new", "nobody/nothing")
    assert not (folder / "new").exists()


def test_rows_with_the_same_text_stay_in_one_set(tmp_path):
    rows = [
        (f"{index}.wav", f"Sentence  {index % 10}" if index % 2 else f"sentence {index % 10}") for index in range(60)
    ]
    path = write_csv(tmp_path / "m.csv", ("audio_path", "transcript"), rows)
    report = split(path, tmp_path)
    assert report.group == "row" and report.reason == "split by row, as no column names a video or a speaker"
    texts = [{row["transcript"].lower().split()[1] for row in read_rows(part.path)} for part in report.parts.values()]
    assert sum(map(len, texts)) == len(set().union(*texts)) == 10


@pytest.mark.parametrize(
    ("values", "group"), [("abc", "speaker"), ("aab", "row"), ("ab ", "row")], ids=["three", "two", "empty"]
)
def test_the_group_column_there_is_is_taken_if_it_can_be(tmp_path, values, group):
    rows = [(f"{index}.wav", f"text {index}", values[index % 3]) for index in range(30)]
    report = split(write_csv(tmp_path / "m.csv", ("audio_path", "transcript", "speaker"), rows), tmp_path)
    assert (
        report.group == group
        and ("speaker" in report.reason)
        and (group == "row") == ("as 'speaker' has" in report.reason)
    )


def test_clips_are_looked_for_beside_the_manifest_and_in_the_usual_folders(tmp_path):
    rows = make_clips(tmp_path, 2)
    assert audio_root([{"audio_path": path} for path, _ in rows], [tmp_path]) == tmp_path
    assert audio_root([{"audio_path": path.partition("/")[2]} for path, _ in rows], [tmp_path]) == tmp_path / "clips"
    absolute = [{"audio_path": str(tmp_path / path)} for path, _ in rows]
    assert audio_root(absolute, [tmp_path / "elsewhere"]) == tmp_path / "clips"
