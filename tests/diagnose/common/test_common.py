"""What trainer, diagnose and probes share: flat keys, RNG states, audio headers, workers."""

import random
import struct

import numpy as np
import pytest
import torch

from diagnose.common.audio_headers import read_wav
from diagnose.common.errors import short_error
from diagnose.common.flat_keys import differences
from diagnose.common.forked_workers import WorkerFailure, run_forked
from diagnose.common.rng import save_rng_states


def test_differences_are_dotted_and_a_missing_key_has_the_value_of_absent():
    before, after = {"a": {"b": 1, "c": 2}, "d": None, "e": 0}, {"a": {"b": 1, "c": 3}, "d": {"x": 1}}
    assert list(differences(before, after)) == [("a.c", 2, 3), ("d", None, {"x": 1}), ("e", 0, None)]
    assert list(differences({"k": None}, {}, "absent")) == [("k", None, "absent")] and not [
        *differences({"k": None}, {})
    ]


def test_rng_states_of_python_numpy_and_torch_are_restored():
    restore = save_rng_states()
    first = random.random(), np.random.rand(), torch.rand(1).item()
    restore()
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == first


@pytest.mark.parametrize(("magic", "order"), [(b"RIFF", "<"), (b"RIFX", ">")])
def test_a_truncated_wav_promises_more_than_it_has_in_either_byte_order(tmp_path, magic, order):
    form = struct.pack(f"{order}4sIHHIIHH", b"fmt ", 16, 1, 2, 8000, 32000, 4, 16)
    body = b"WAVE" + form + struct.pack(f"{order}4sI", b"data", 400) + bytes(100)
    path = tmp_path / "a.wav"
    path.write_bytes(magic + struct.pack(f"{order}I", len(body)) + body)
    with path.open("rb") as file:
        wav = read_wav(file.fileno(), path.stat().st_size)
        cut = read_wav(file.fileno(), 40)
    assert (wav.promised, wav.present, wav.rate, wav.channels, wav.frames) == (400, 100, 8000, 2, 25)
    assert wav.is_int16 is (order == "<") and cut.start == 0


def test_a_worker_that_dies_leaves_its_exit_code_and_one_that_is_too_slow_none():
    work = {"dies": lambda: __import__("os")._exit(3), "sleeps": lambda: __import__("time").sleep(60)}
    found = dict(run_forked(work, at_once=2, seconds=0.5))
    assert found["dies"] == WorkerFailure("its process exited with 3", exit_code=3)
    assert found["sleeps"] == WorkerFailure("it took too long and was stopped")


def test_an_error_of_the_system_on_a_file_is_a_sentence_with_its_remedy(tmp_path):
    with pytest.raises(OSError) as missing:
        (tmp_path / "gone.csv").read_text()
    assert short_error(missing.value) == f"{tmp_path}/gone.csv: no such file or directory; check the path"
    with pytest.raises(OSError) as folder:
        tmp_path.read_text()
    assert short_error(folder.value) == f"{tmp_path}: is a directory; name a file"
    assert short_error(OSError(28, "No space left on device", "x")) == "x: no space left on device"
    assert short_error(OSError("torn")) == "OSError: torn"
