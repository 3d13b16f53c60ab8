"""The repair of a torchaudio built for another torch: exact, reversible, and nothing when the pair matches."""

import pytest

from diagnose import torchaudio_repair as repairs


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """Two packages on the path that only have what the repair reads."""

    def made(torch, torchaudio):
        for name, build in (("torch", torch), ("torchaudio", torchaudio)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "__init__.py").write_text("raise OSError('libc10_cuda.so')")
            (tmp_path / name / "version.py").write_text(f"__version__ = '{build}'\n")
        (tmp_path / "torchaudio" / "lib").mkdir()
        for library in ("libtorchaudio.so", "_torchaudio.so"):
            (tmp_path / "torchaudio" / "lib" / library).write_bytes(b"code")
        monkeypatch.setattr(repairs, "package_folder", lambda name: tmp_path / name)
        return tmp_path / "torchaudio" / "lib"

    return made


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_cuda_build_beside_a_cpu_torch_is_set_aside_and_can_be_put_back(pair):
    folder = pair("2.13.0+cpu", "2.11.0+cu130")
    done = repairs.repair()
    assert done.moved == ("_torchaudio.so", "libtorchaudio.so")
    assert names(folder) == ["_torchaudio.so.aside", "libtorchaudio.so.aside"]
    assert "disabled _torchaudio.so, libtorchaudio.so" in str(done) and "--undo-repair" in str(done)
    assert "already disabled" in str(repairs.repair())
    assert repairs.undo() == ("_torchaudio.so", "libtorchaudio.so")
    assert names(folder) == ["_torchaudio.so", "libtorchaudio.so"]
    assert repairs.undo() == ()


@pytest.mark.parametrize(
    ("torch", "torchaudio"),
    [("2.13.0+cu130", "2.11.0+cu130"), ("2.13.0+cpu", "2.11.0+cpu"), ("2.13.0+cpu", "2.11.0"), ("2.13.0", "2.11.0")],
)
def test_a_pair_that_matches_is_left_alone(pair, torch, torchaudio):
    folder = pair(torch, torchaudio)
    assert "nothing to repair" in str(repairs.repair())
    assert names(folder) == ["_torchaudio.so", "libtorchaudio.so"]


@pytest.mark.parametrize(("torch", "torchaudio"), [("2.13.0+cu126", "2.11.0+cu130"), ("2.13.0", "2.11.0+cu130")])
def test_another_cuda_does_not_match(pair, torch, torchaudio):
    pair(torch, torchaudio)
    assert repairs.repair().moved


@pytest.mark.parametrize("line", ["__version__ = '1+cu1'", '__version__: str = "1+cu1"', "x = 1\n__version__='1+cu1'"])
def test_the_build_is_read_from_the_packages_own_file(tmp_path, monkeypatch, line):
    (tmp_path / "version.py").write_text(line)
    monkeypatch.setattr(repairs, "package_folder", lambda name: tmp_path)
    assert repairs.build_of("torchaudio") == "1+cu1"


def test_an_absent_package_and_the_real_pair():
    assert repairs.package_folder("no_package_of_this_name") is None
    assert repairs.build_of("no_package_of_this_name") == "absent"
    assert repairs.builds_match("2.13.0+cpu", "absent")
    assert repairs.build_of("torch")[0].isdigit()
