"""Real files of every kind, whole and spoilt: what is good is read alike, what is bad is named in one sentence."""

import os
import struct
import subprocess
import sys

import numpy as np
import pytest
import soundfile
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainer.data.audio.errors import AudioError
from trainer.data.audio.load import audio_info, check_audio, load_audio

RATE = 16000
KINDS = {
    "u8.wav": {"subtype": "PCM_U8"},
    "16.wav": {"subtype": "PCM_16"},
    "24.wav": {"subtype": "PCM_24"},
    "32.wav": {"subtype": "PCM_32"},
    "float.wav": {"subtype": "FLOAT"},
    "double.wav": {"subtype": "DOUBLE"},
    "extended.wav": {"subtype": "PCM_24", "format": "WAVEX"},
    "big_endian.wav": {"subtype": "PCM_16", "endian": "BIG"},
    "long.rf64": {"format": "RF64"},
    "16.flac": {},
    "24.flac": {"subtype": "PCM_24"},
    "vorbis.ogg": {},
    "opus.ogg": {"subtype": "OPUS", "format": "OGG"},
    "constant.mp3": {"bitrate_mode": "CONSTANT", "compression_level": 0.2},
    "variable.mp3": {"bitrate_mode": "VARIABLE", "compression_level": 0.2},
}
LOSSY = ("vorbis.ogg", "opus.ogg", "constant.mp3", "variable.mp3")


def tone(seconds=2.0, rate=RATE, hertz=440.0):
    return (0.4 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def write(folder, name="a.wav", samples=None, rate=RATE, **options):
    soundfile.write(folder / name, tone(rate=rate) if samples is None else samples, rate, **options)
    return folder / name


def spoil(path, change):
    path.write_bytes(change(path.read_bytes()))
    return path


def refusal(folder, name):
    """The same sentence from whoever reads the file, and nobody waits."""
    sentences = set()
    for read in (check_audio, load_audio):
        with pytest.raises(AudioError) as caught:
            read(name, folder)
        sentences.add(caught.value.message)
    assert len(sentences) == 1
    sentence = sentences.pop()
    assert "; " in sentence and "\n" not in sentence
    return sentence, caught.value.rule


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_read_to_the_same_tone(tmp_path, name):
    write(tmp_path, name, **KINDS[name])
    audio = load_audio(name, tmp_path)
    assert (audio.dtype, audio.shape, audio.is_contiguous()) == (torch.float32, (2 * RATE,), True)
    error = (audio - torch.from_numpy(tone())).abs()[1600:-1600].max()
    assert error < (0.1 if name in LOSSY else 0.01)
    assert check_audio(name, tmp_path) == audio_info(name, tmp_path)
    assert audio_info(name, tmp_path).seconds == 2.0


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000])
@pytest.mark.parametrize("channels", [1, 2])
def test_other_rates_and_channels_become_mono_16_khz(tmp_path, rate, channels):
    samples = np.stack([tone(1.0, rate)] * channels, axis=1)
    write(tmp_path, "a.wav", samples, rate, subtype="PCM_24")
    audio = load_audio("a.wav", tmp_path)
    assert audio.dim() == 1 and abs(len(audio) - RATE) <= 1
    spectrum = torch.fft.rfft(audio[:RATE]).abs()
    assert abs(int(spectrum.argmax()) - 440) <= 1, "the pitch stays"


def test_stereo_is_the_mean_of_the_channels(tmp_path):
    left, right = tone(hertz=300), tone(hertz=500)
    write(tmp_path, "a.wav", np.stack([left, right], axis=1), subtype="FLOAT")
    assert torch.allclose(load_audio("a.wav", tmp_path), torch.from_numpy((left + right) / 2), atol=1e-6)


def test_long_audio_is_cut_and_short_audio_is_not(tmp_path):
    write(tmp_path, "long.wav", tone(31.0))
    write(tmp_path, "long48.wav", tone(31.0, 48000), 48000)
    write(tmp_path, "one.wav", tone()[:1])
    assert len(load_audio("long.wav", tmp_path)) == len(load_audio("long48.wav", tmp_path)) == 30 * RATE
    assert len(load_audio("long.wav", tmp_path, max_seconds=1.5)) == 24000
    assert len(load_audio("one.wav", tmp_path)) == 1
    assert audio_info("long.wav", tmp_path).seconds == 31.0


@pytest.mark.parametrize("name", KINDS)
def test_half_a_file_is_told(tmp_path, name):
    spoil(write(tmp_path, name, **KINDS[name]), lambda data: data[: len(data) // 2])
    sentence, rule = refusal(tmp_path, name)
    assert name in sentence and "truncated" in sentence and rule == "truncated audio"


@pytest.mark.parametrize("name", [name for name in KINDS if not name.endswith(".mp3")])
def test_one_byte_less_is_told(tmp_path, name):
    spoil(write(tmp_path, name, **KINDS[name]), lambda data: data[:-1])
    assert "truncated" in refusal(tmp_path, name)[0]


@pytest.mark.parametrize("name", KINDS)
def test_a_tag_after_the_samples_does_no_harm(tmp_path, name):
    spoil(write(tmp_path, name, **KINDS[name]), lambda data: data + b"TAG" + bytes(125))
    assert len(load_audio(name, tmp_path)) == 2 * RATE


def test_a_header_without_samples_is_told(tmp_path):
    spoil(write(tmp_path), lambda data: data[:30])
    assert "before the samples" in refusal(tmp_path, "a.wav")[0]


def test_a_streamed_wav_of_unknown_size_is_read(tmp_path):
    spoil(write(tmp_path), lambda data: data[:40] + struct.pack("<I", 0xFFFFFFFF) + data[44:])
    assert len(load_audio("a.wav", tmp_path)) == 2 * RATE


def test_a_flac_that_does_not_know_its_length_is_told(tmp_path):
    def forget(data):
        field = int.from_bytes(data[18:26], "big") & ~((1 << 36) - 1)
        return data[:18] + field.to_bytes(8, "big") + data[26:]

    spoil(write(tmp_path, "a.flac"), forget)
    assert "gives no length" in refusal(tmp_path, "a.flac")[0]


def test_an_mp3_that_does_not_know_its_length_is_told(tmp_path):
    """libsndfile would give a fifth of such a file without a word."""
    samples = np.concatenate([tone(3.0), np.random.default_rng(0).normal(0, 0.2, 48000).astype(np.float32)])
    write(tmp_path, "a.mp3", samples, bitrate_mode="VARIABLE")
    spoil(tmp_path / "a.mp3", lambda data: data[data.index(data[:2], 4) :])
    assert "gives no length" in refusal(tmp_path, "a.mp3")[0]


def test_damage_inside_a_flac_is_told(tmp_path):
    noise = np.random.default_rng(0).normal(0, 0.1, 64000)
    spoil(write(tmp_path, "a.flac", noise), lambda data: data[:40000] + bytes(300) + data[40300:])
    assert refusal(tmp_path, "a.flac")[1] == "truncated audio"


@pytest.mark.parametrize("subtype", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_not_finite_is_told_with_its_time(tmp_path, subtype, value):
    samples = tone().astype(np.float64)
    samples[8000] = value
    write(tmp_path, "a.wav", samples, subtype=subtype)
    sentence, rule = refusal(tmp_path, "a.wav")
    assert "at 0.500 s" in sentence and rule == "NaN or Inf in audio"


def test_a_double_too_large_for_float32_is_told(tmp_path):
    write(tmp_path, "a.wav", np.full(800, 1e300), subtype="DOUBLE")
    assert refusal(tmp_path, "a.wav")[1] == "NaN or Inf in audio"


def test_an_hour_is_checked_to_its_end_in_pieces(tmp_path):
    samples = tone(65.0)
    samples[-1] = np.nan
    write(tmp_path, "a.wav", samples, subtype="FLOAT")
    with pytest.raises(AudioError, match=r"at 65\.000 s"):
        check_audio("a.wav", tmp_path)
    assert len(load_audio("a.wav", tmp_path)) == 30 * RATE, "what is cut away cannot hurt"


def test_empty_files_are_told(tmp_path):
    (tmp_path / "zero.wav").touch()
    write(tmp_path, "header.wav", tone()[:0])
    sentence = "zero.wav is empty (0 bytes); copy or export the file again"
    assert refusal(tmp_path, "zero.wav") == (sentence, "empty audio")
    assert refusal(tmp_path, "header.wav")[1] == "empty audio"


@pytest.mark.parametrize("name", ["text.wav", "text.raw", "text.vox", "text.mp3", "text"])
def test_what_is_not_audio_is_told_whatever_its_name(tmp_path, name):
    (tmp_path / name).write_text("this is a sentence, not a sound\n" * 100)
    assert "not readable audio" in refusal(tmp_path, name)[0]


def test_a_kind_whose_length_we_cannot_check_is_told(tmp_path):
    write(tmp_path, "a.aiff")
    assert "AIFF" in refusal(tmp_path, "a.aiff")[0]


def test_a_missing_file_is_told(tmp_path):
    assert refusal(tmp_path, "nowhere.wav")[1] == "missing audio"
    assert "backslashes" in refusal(tmp_path, "wavs\\a.wav")[0]
    assert refusal(tmp_path, "x" * 5000)[1] == "missing audio"
    assert refusal(tmp_path, " ")[1] == "missing audio"


def test_a_folder_and_a_pipe_are_told_without_waiting(tmp_path):
    (tmp_path / "folder.wav").mkdir()
    os.mkfifo(tmp_path / "pipe.wav")
    assert "folder" in refusal(tmp_path, "folder.wav")[0]
    assert "pipe" in refusal(tmp_path, "pipe.wav")[0]


def test_a_path_out_of_the_data_root_is_refused(tmp_path):
    root, other = tmp_path / "root", tmp_path / "other"
    (root / "wavs").mkdir(parents=True), other.mkdir()
    write(other)
    (root / "link.wav").symlink_to(other / "a.wav")
    (root / "linked").symlink_to(other)
    (root / "loop.wav").symlink_to(root / "loop.wav")
    for path in ("../other/a.wav", "wavs/../../other/a.wav", str(other / "a.wav"), "link.wav", "linked/a.wav"):
        assert refusal(root, path)[1] == "audio outside the data root"
    assert refusal(root, "loop.wav")[1] == "missing audio"


def test_paths_inside_the_data_root_are_read(tmp_path):
    root = tmp_path / "root"
    (root / "wavs").mkdir(parents=True)
    write(root / "wavs", "á b.wav")
    (root / "link.wav").symlink_to("wavs/á b.wav")
    (tmp_path / "alias").symlink_to(root)
    for path in ("wavs/á b.wav", "./wavs/../wavs/á b.wav", "link.wav", str(root / "wavs" / "á b.wav")):
        assert len(load_audio(path, root)) == len(load_audio(path, tmp_path / "alias")) == 2 * RATE


def test_control_characters_in_a_path_do_not_reach_the_terminal(tmp_path):
    assert "\x1b" not in refusal(tmp_path, "\x1b[31mred.wav")[0]


def test_a_rate_that_would_eat_the_memory_is_told(tmp_path):
    write(tmp_path, "a.wav", tone(1.0), 44099)
    assert "44,099 Hz" in refusal(tmp_path, "a.wav")[0]


@settings(deadline=None)
@given(data=st.data())
def test_no_spoilt_byte_makes_anything_but_a_sentence(tmp_path_factory, data):
    """Whatever the header holds: it is read or refused, never a crash, a wait or a sample that is not finite."""
    folder = tmp_path_factory.mktemp("spoilt")
    name = data.draw(st.sampled_from([name for name in KINDS if not name.endswith(".mp3")]))
    content = bytearray(write(folder, name, tone(0.1), **KINDS[name]).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, min(len(content), 120) - 1))] = data.draw(st.integers(0, 255))
    (folder / name).write_bytes(bytes(content[: data.draw(st.integers(1, len(content)))]))
    try:
        audio = load_audio(name, folder)
    except AudioError as error:
        assert "\n" not in error.message
    else:
        assert audio.dim() == 1 and len(audio) and bool(torch.isfinite(audio).all())


def test_checking_needs_no_torch():
    modules = "trainer.data.audio.load, trainer.data.prepare, trainer.data.split"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
