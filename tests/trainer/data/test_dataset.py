"""Datasets over real files: what an item holds, how long it is, and what is said of a clip that cannot be read."""

import numpy as np
import pytest
import soundfile
import torch
from torch.utils.data import DataLoader

from diagnose.common.errors import InputError
from trainer.config.schema import Audio, Config
from trainer.data import dataset as module
from trainer.data.audio.errors import AudioError
from trainer.data.dataset import SpeechDataset, TextDataset
from trainer.data.manifest import read_rows, write_rows
from trainer.data.open_split import open_split

COLUMNS = ["audio_path", "transcript", "translation", "duration", "video_id", "speaker_id"]


@pytest.fixture
def root(tmp_path):
    """Six clips of 1 to 6 s at various rates in data/, and their splits."""
    (tmp_path / "wavs").mkdir()
    rows = []
    for number, rate in enumerate((16000, 8000, 48000, 16000, 22050, 44100), start=1):
        samples = np.random.default_rng(number).normal(0, 0.1, (number * rate, 1 + number % 2))
        soundfile.write(tmp_path / "wavs" / f"{number}.wav", samples, rate)
        values = (f"wavs/{number}.wav", f"câu {number}", f"sentence {number}", f"{number}.0", f"v{number}", "s")
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    for name in ("train", "dev", "test"):
        write_rows(tmp_path / "splits" / f"{name}.csv", rows, COLUMNS)
    return tmp_path


def settings(root, **sections):
    return Config.model_validate({"paths": {"data_root": root, "splits_dir": "splits"}, **sections})


def test_an_item_is_what_the_seeds_say(root):
    data = open_split(settings(root), "train")
    assert isinstance(data, SpeechDataset) and len(data) == 6
    item = data[2]
    audio = item.pop("audio")
    assert (audio.dtype, audio.shape) == (torch.float32, (48000,))
    assert item == {
        "sample_rate": 16000,
        "transcript": "câu 3",
        "translation": "sentence 3",
        "audio_path": "wavs/3.wav",
        "duration": 3.0,
        "id": f"{root}/splits/train.csv:4",
        "video_id": "v3",
        "speaker_id": "s",
    }


def test_items_are_cut_at_the_configured_length(root):
    data = open_split(settings(root, audio={"max_length_seconds": 2.5}), "train")
    assert [item["duration"] for item in (data[0], data[5])] == [1.0, 2.5]
    assert data.lengths() == [1.0, 2.0, 2.5, 2.5, 2.5, 2.5]


def test_lengths_come_from_the_manifest_without_opening_a_file(root):
    rows = read_rows(root / "splits" / "train.csv")
    data = SpeechDataset(rows, root / "nowhere", Audio())
    assert data.lengths() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_lengths_come_from_the_header_where_the_manifest_has_none(root, monkeypatch):
    rows = read_rows(root / "splits" / "train.csv")
    rows[1].pop("duration")
    rows[2]["duration"], rows[3]["duration"], rows[4]["duration"] = "", "nan", "four"
    monkeypatch.setattr(module, "load_audio", None)
    assert SpeechDataset(rows, root, Audio()).lengths() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_a_subset_is_the_first_rows_of_any_split(root):
    for name in ("train", "dev", "test"):
        data = open_split(settings(root), name, subset=2)
        assert [data[i]["transcript"] for i in range(len(data))] == ["câu 1", "câu 2"]
        assert len(open_split(settings(root), name, subset=100)) == 6
    with pytest.raises(InputError, match="--subset 0"):
        open_split(settings(root), "train", subset=0)


def test_a_manifest_folder_takes_the_place_of_the_splits(root):
    (root / "splits").rename(root / "mini")
    assert len(open_split(settings(root, data={"manifest_dir": "mini"}), "dev")) == 6
    assert len(open_split(settings(root, data={"manifest_dir": str(root / "mini")}), "dev")) == 6


def test_a_missing_split_names_the_command_that_makes_it(root):
    (root / "splits" / "dev.csv").unlink()
    with pytest.raises(InputError, match=r"dev\.csv: there is no dev set; run `train split`"):
        open_split(settings(root), "dev")


def test_columns_are_asked_for_as_the_task_needs_them(root):
    rows = read_rows(root / "splits" / "train.csv")
    write_rows(root / "splits" / "train.csv", rows, ["audio_path", "transcript"])
    assert open_split(settings(root, model={"task": "transcribe"}), "train")[0]["translation"] == ""
    with pytest.raises(InputError, match="no column 'translation'"):
        open_split(settings(root, model={"task": "both"}), "train")


def test_a_vocabulary_sees_the_texts_of_the_task_row_by_row(root):
    both = open_split(settings(root, model={"task": "both"}), "train", subset=2)
    assert both.texts() == ["câu 1", "sentence 1", "câu 2", "sentence 2"]
    assert open_split(settings(root, model={"task": "transcribe"}), "train", subset=2).texts() == ["câu 1", "câu 2"]


@pytest.mark.parametrize("workers", [0, 1])
def test_an_unreadable_clip_stops_with_one_sentence_also_from_a_worker(root, workers):
    content = (root / "wavs" / "4.wav").read_bytes()
    (root / "wavs" / "4.wav").write_bytes(content[: len(content) // 2])
    data = open_split(settings(root), "train")
    with pytest.raises(AudioError) as caught:
        list(DataLoader(data, batch_size=2, num_workers=workers, collate_fn=list))
    sentence = caught.value.message
    assert sentence.startswith(f"{root}/splits/train.csv:5: wavs/4.wav is truncated")
    assert "train prepare" in sentence and "\n" not in sentence and caught.value.exit_code == 2


def test_a_length_that_cannot_be_had_stops_with_one_sentence(root):
    rows = read_rows(root / "splits" / "train.csv")
    rows[0]["duration"], rows[0]["audio_path"] = "", "nowhere.wav"
    with pytest.raises(AudioError, match=r"train\.csv:2: nowhere\.wav cannot be opened.*train prepare"):
        SpeechDataset(rows, root, Audio()).lengths()


def test_documents_with_columns_of_any_name(tmp_path):
    write_rows(
        tmp_path / "splits" / "train.csv", [{"bài": "Tin dài hôm nay", "tóm tắt": "Tin"}] * 3, ["bài", "tóm tắt"]
    )
    config = settings(tmp_path, model={"type": "mt5"}, data={"document_column": "bài", "summary_column": "tóm tắt"})
    data = open_split(config, "train", subset=2)
    assert isinstance(data, TextDataset) and len(data) == 2
    assert data[1] == {"document": "Tin dài hôm nay", "summary": "Tin", "id": f"{tmp_path}/splits/train.csv:3"}
    assert data.lengths() == [15.0, 15.0]
    assert data.texts() == ["Tin dài hôm nay", "Tin"] * 2


def test_some_rows_of_a_split_are_a_dataset_of_their_own(root):
    data = open_split(settings(root), "train")
    assert data.lengths() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    some = data.select([1, 4])
    assert (len(some), some.lengths(), some[1]["transcript"]) == (2, [2.0, 5.0], "câu 5")
    assert (len(data), len(data.lengths())) == (6, 6)
