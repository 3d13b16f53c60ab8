"""The wheel holds every file of the packages, and the commands work from it."""

import os
import subprocess
import sys
import zipfile

import pytest

from tests.support.import_graph import ROOT

PACKAGES = ("diagnose", "playbooks", "probes", "trainer")


def tracked(*folders: str) -> set[str]:
    done = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the files under version control: building writes into the folder it builds from."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in tracked(*PACKAGES, "configs", "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    build = "from setuptools.build_meta import build_wheel; import sys; build_wheel(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", build, str(target)], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "absent from setuptools" not in done.stdout + done.stderr
    return next(target.glob("*.whl"))


@pytest.mark.slow
def test_every_file_of_the_packages_is_in_the_wheel(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    assert tracked(*PACKAGES) - held == set()
    assert {f"share/gonogo/{name}" for name in tracked("configs")} <= {
        name.partition(".data/data/")[2] for name in held
    }


@pytest.mark.slow
def test_its_commands_work_where_only_the_wheel_is(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}

    def run(*command: str) -> str:
        code = f"import diagnose.cli as cli; assert cli.__file__.startswith({str(tmp_path)!r}); cli.main()"
        words = [sys.executable, "-c", code, *command]
        return subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout

    assert run("explain", "LAB002").startswith("# LAB002 label_padding_is_scored")
    assert len(run("list").splitlines()) >= 279
