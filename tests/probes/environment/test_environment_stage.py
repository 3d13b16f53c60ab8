"""The environment stage: what is installed, read and written, and on which device; a crash is a result."""

import os
import signal
import sys

import numpy as np
import pytest
import soundfile
import torch

import diagnose
from diagnose.engine.context import NotApplicable
from diagnose.engine.engine import installed
from probes.facts.environment import facts, numpy_bridge
from probes.facts.environment.import_check import imports
from probes.facts.environment.package_lookup import find_package
from probes.facts.environment.tokenizer_files import NEEDED, packages_for
from probes.facts.parameters.types import ParameterRow, Parameters
from probes.facts.settings.types import EventCount, RunSettings

NOTED = "import os; open({path!r}, 'a').write(f'{{os.getpid()}} ')"


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Writes modules that can be imported here and in a fresh python."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    return lambda **sources: [(tmp_path / f"{name}.py").write_text(text) for name, text in sources.items()]


def test_all_packages_share_one_process_unless_it_dies(tmp_path, modules):
    note = NOTED.format(path=str(tmp_path / "pids"))
    modules(one_of_two=note, two_of_two=note)
    assert all(package.imported for package in imports(("one_of_two", "two_of_two")))
    assert len(set((tmp_path / "pids").read_text().split())) == 1
    modules(third=note, dies="import os; os.abort()", raises="raise OSError('no such library')")
    found = {package.name: package for package in imports(("third", "dies", "raises"))}
    assert found["third"].imported and found["dies"].ended == "SIGABRT"
    assert found["raises"].error == "OSError: no such library" and not found["raises"].ended
    assert not {"one_of_two", "third", "raises"} & set(sys.modules)


def test_packages_are_tried_in_a_fresh_python_where_torch_is_not_there(monkeypatch, modules):
    modules(good_here="x = 1", bad_here="raise ImportError('broken')")
    monkeypatch.delitem(sys.modules, "torch")
    good, bad = imports(("good_here", "bad_here"))
    assert good.imported and bad.error == "ImportError: broken"


def test_arrays_cross_and_a_crossing_that_ends_python_is_a_result(monkeypatch):
    assert not numpy_bridge.round_trip_in_fork().failed
    monkeypatch.setattr(numpy_bridge, "round_trip", lambda: os.kill(os.getpid(), signal.SIGSEGV))
    bridge = numpy_bridge.round_trip_in_fork()
    assert bridge.failed and "SIGSEGV" in bridge.error


class Files(torch.utils.data.Dataset):
    """Reads with whatever it is given."""

    def __init__(self, paths, read):
        self.paths, self.read = paths, read

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, number):
        return {"audio": self.read(self.paths[number])}


def broken_decoder(path):
    raise RuntimeError("decoding is not possible")


def looked(paths, read, rows=None):
    facts = {"train_dataset": Files(paths, read)} | ({"train_rows": rows} if rows else {})
    (outcome,) = diagnose.preflight(select=["ENV004"], **facts).outcomes
    return outcome


def test_a_decoder_is_told_from_a_file(tmp_path):
    paths = [tmp_path / f"{name}.wav" for name in "abc"]
    for path in paths:
        soundfile.write(path, np.sin(np.arange(1600) / 5), 16000)
    rows = [{"audio_path": str(path), "transcript": "x"} for path in paths]
    assert looked(paths, lambda path: soundfile.read(path)[0]).status == "passed"
    found = looked(paths, broken_decoder, rows)
    assert found.status == "found" and str(paths[-1]) in found.findings[0].message
    assert looked(paths, broken_decoder).status == "skipped"  # nobody knows the files: the data stage tells
    paths[0].write_bytes(b"RIFF")
    assert looked(paths, lambda path: soundfile.read(path)[0]).status == "passed"  # one file is not the decoder
    for path in paths:
        path.write_bytes(b"RIFF")
    assert looked(paths, lambda path: soundfile.read(path)[0], rows).status == "skipped"


@pytest.mark.parametrize(
    ("files", "needed"),
    [(("spiece.model",), True), (("spiece.model", "tokenizer.json"), False), (("vocab.json", "merges.txt"), False)],
)
def test_what_a_tokenizer_needs_is_read_from_its_files(tmp_path, files, needed):
    for name in files:
        (tmp_path / name).touch()
    assert packages_for(str(tmp_path))[1] == (NEEDED if needed else ())


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("google/mt5-small", True),
        ("facebook/mbart-large-50", True),
        ("t5-base", True),
        ("openai/whisper-tiny", False),
        ("google/byt5-small", False),
        ("bert-base-cased", False),
    ],
)
def test_what_a_tokenizer_needs_is_guessed_from_its_name_only_where_it_is_not_here(tmp_path, monkeypatch, name, needed):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert packages_for(name)[1] == (NEEDED if needed else ())
    snapshot = tmp_path / f"models--{name.replace('/', '--')}" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (snapshot / "tokenizer.json").touch()
    assert packages_for(name)[1] == ()


def test_another_package_of_the_same_name_is_seen(tmp_path, monkeypatch):
    assert find_package("trainer", ("facts/config_facts.py", "config/schema.py"), ()).ours
    (tmp_path / "shadowing.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    found = find_package("shadowing", ("facts.py",), ())
    assert not found.ours and found.found.endswith("shadowing.py")
    assert find_package("there_is_none_of_this_name", (), ()).found == "nothing"


def settings(**more):
    return RunSettings("transformers", output_dir=more.pop("output_dir", "out"), save_strategy="steps", **more)


TABLE = Parameters(
    (
        ParameterRow("a", "Linear", (1000,), 1000, "float32", "cpu", trainable=True),
        ParameterRow("b", "Linear", (500,), 500, "bfloat16", "cpu", trainable=False),
    )
)


FOUR = EventCount(4)


def room(saves=FOUR, optimizer=None, **more):
    return facts.checkpoint_disk_space(settings(**more), saves, TABLE, optimizer)


def test_the_size_of_checkpoints_is_counted(tmp_path):
    whole = room(save_total_limit=2)
    assert (whole.weights, whole.state, whole.at_once) == (5000, 8000, 3)
    assert whole.needed == 3 * 13000 + 5000
    assert room().at_once == 4 and room(EventCount(4, once_more_at_end=True)).at_once == 5
    assert room(save_total_limit=1, load_best=True).at_once == 3 and room(save_only_model=True).state == 0
    plain = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    assert room(optimizer=plain).state == 0
    plain.param_groups[0]["momentum"] = 0.9
    assert room(optimizer=plain).state == 4000
    assert room(output_dir=str(tmp_path / "not" / "yet")).folder == str(tmp_path)
    with pytest.raises(NotApplicable):
        room(EventCount(0))


@pytest.mark.parametrize(
    ("visible", "device", "absent"),
    [(None, "cpu", False), ("0,1", None, True), ("-1", "cuda", True), ("", "cpu", False), (None, "cuda:3", True)],
)
def test_devices_that_are_named_are_looked_for(monkeypatch, visible, device, absent):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr("probes.facts.environment.devices.present", lambda: ("cpu",))
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    arguments = {"lr": 1e-3, "epochs": 2} | ({"device": device} if device else {})
    (outcome,) = diagnose.preflight(select=["ENV007"], training_arguments=arguments).outcomes
    assert outcome.status == ("found" if absent else "passed")
    (measures,) = diagnose.preflight(select=["ENV007"], model=torch.nn.Linear(1, 1)).outcomes
    assert measures.status == "skipped"


def test_packages_that_raise_or_crash_are_results(tmp_path, monkeypatch):
    (tmp_path / "bad_raises.py").write_text("raise OSError('libnothing.so: cannot open shared object file')")
    (tmp_path / "bad_crashes.py").write_text("import ctypes; ctypes.string_at(0)")
    (tmp_path / "good_one.py").write_text("x = 1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    found = {p.name: p for p in imports(("bad_raises", "good_one", "bad_crashes", "not_there_at_all", "sys"))}
    assert found["bad_raises"].error == "OSError: libnothing.so: cannot open shared object file"
    assert found["good_one"].imported and found["sys"].imported and "good_one" not in sys.modules
    assert found["bad_crashes"].ended == "SIGSEGV" and found["not_there_at_all"].error == "it is not installed"


def test_the_torchaudio_pair_is_read_without_importing_it():
    builds = installed().context({"model": 1}).get("torch_builds")
    assert builds.torch.startswith(torch.__version__.partition("+")[0]) and builds.loads
