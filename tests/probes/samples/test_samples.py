"""`diagnose samples`: rows as the model gets them, in text and as a page."""

import base64
import re
import struct
import sys
import zlib

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from torch.utils.data import DataLoader

from diagnose.cli import main
from probes.facts.samples.files import png
from probes.facts.samples.label_parts import label_parts
from probes.facts.samples.log_mel import log_mel
from probes.facts.samples.read_samples import SampleSource, read_samples
from probes.facts.samples.types import LabelPart

SUBJECT = """
import torch
from torch.utils.data import DataLoader
from probes.healthy import healthy

def hybrid():
    facts = healthy("hybrid")
    names = ("model", "train_batches", "labels_of", "tokenizer", "decode")
    return {name: facts[name] for name in names if name in facts}

def mt5():
    return healthy("mt5")

def no_batches():
    return {"train_batches": []}
"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    (tmp_path / "shown_run.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shown_run", raising=False)
    return lambda subject, *more: CliRunner().invoke(main, ["samples", "--subject", f"shown_run:{subject}", *more])


def words(ids):
    return " ".join(f"w{one}" for one in ids)


def test_labels_show_what_is_masked_and_what_stands_there():
    assert list(label_parts([-100, -100, 5, 6, -100], [3, 4, 5, 6, 0], words)) == [
        LabelPart(2, "w3 w4", masked=True), LabelPart(2, "w5 w6"), LabelPart(1, "w0", masked=True)
    ]  # fmt: skip
    assert list(label_parts([5, -100], [], words)) == [LabelPart(1, "w5"), LabelPart(1, "", masked=True)]


def test_speech_rows_have_text_audio_decoded_labels_shapes_and_a_page(ask, tmp_path):
    told = ask("hybrid", "-n", "3", "--html", "page.html")
    assert told.exit_code == 0, told.output
    text = told.stdout
    assert text.count("batch 0, row") == 3 and "3 rows; loading a row again" in text
    assert re.search(r"audio: 0\.\d+ s, 16,000 Hz, peak 0\.\d+, rms 0\.\d+, ", text)
    transcript, labels = (re.findall(f"{name}: (.+)", text) for name in ("transcript", r"(?m)^  labels"))
    assert all(label.startswith(f"{said}</s>") for said, label in zip(transcript, labels, strict=True))
    assert "masked]" in text and re.search(r"feats: shape \[\d+, 40\], float32, cpu, min -", text)
    page = (tmp_path / "page.html").read_text()
    assert page.count("<audio controls") == 3 and page.count("data:image/png") == 3 and "<script" not in page
    sound = base64.b64decode(re.search(r"wav;base64,([^\"]+)", page).group(1))
    assert sound[:4] == b"RIFF" and len(sound) > 5000


def test_texts_show_input_and_labels(ask):
    text = ask("mt5", "-n", "2").stdout
    document, read = (re.findall(f"  {name}: (.+)", text) for name in ("document", "input text"))
    assert len(document) == 2 and all(r.startswith(f"{d}</s>") for d, r in zip(document, read, strict=True))
    assert text.endswith("2 rows\n")


def test_without_a_batch_the_reason_is_told(ask):
    told = ask("no_batches")
    assert told.exit_code == 2 and told.stderr.startswith("error: no rows can be shown: ")


class Noisy:
    """Clips with words that a page must escape."""

    def __init__(self, noise):
        self.noise = noise

    def __len__(self):
        return 6

    def __getitem__(self, index):
        samples = torch.sin(torch.arange(800) * 0.1 * (index + 1)) + self.noise * torch.randn(800)
        return {"audio": samples, "sampling_rate": 16000, "text": f"<b>clip {index}", "label": index}


def source(noise):
    def collate(items):
        return {"x": torch.stack([i["audio"] for i in items]), "labels": torch.tensor([i["label"] for i in items])}

    dataset = Noisy(noise)
    return SampleSource(DataLoader(dataset, 2, collate_fn=collate), lambda b: b["labels"], dataset, collate)


def test_augmentation_is_seen_by_a_second_draw_and_its_absence_too():
    still, noisy = read_samples(source(0.0), 5), read_samples(source(0.1), 5)
    assert len(still.rows) == len(noisy.rows) == 5 and (still.random, noisy.random) == (False, True)
    assert [row.where for row in still.rows][-1] == "batch 2, row 0 (item 4)"
    assert all(row.second_draw for row in noisy.rows) and not any(row.second_draw for row in still.rows)


def test_the_texts_of_the_page_are_escaped():
    from diagnose.page.samples_page import samples_page

    page = samples_page(read_samples(source(0.0), 2), "<i>")
    assert "<b>clip" not in page and "&lt;b&gt;clip 0" in page and "<i>" not in page
    assert page.count("log-mel of the audio, 80 x") == 4  # the model reads the waveform: caption and text


def test_a_picture_is_a_png_of_the_values():
    data = png(np.array([[0.0, 1.0, 2.0], [2.0, np.nan, 0.0]]))
    size, start = struct.unpack(">II", data[16:24]), data.index(b"IDAT") + 4
    raw = zlib.decompress(data[start : data.index(b"IEND") - 8])
    assert size == (3, 2) and list(raw) == [0, 0, 127, 254, 0, 254, 255, 0]


def test_the_log_mel_picture_shows_the_band_of_a_tone():
    tone = np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000)
    loudest = log_mel(tone, 16000).mean(axis=1).argmax()
    assert 26 <= loudest <= 29  # 1,000 mel of 2,840, on 80 bands
