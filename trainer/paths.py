"""Paths: the shipped configurations, and the clean manifest beside the raw one."""

import site
import sys
from difflib import get_close_matches
from pathlib import Path

from diagnose.common.errors import InputError


def shipped_folder() -> Path:
    """The folder of the configurations: in a checkout, or under share/ of the environment or of the user."""
    checkout = Path(__file__).resolve().parent.parent / "configs"
    installed = [Path(base) / "share" / "gonogo" / "configs" for base in (sys.prefix, site.getuserbase())]
    return next((folder for folder in (checkout, *installed) if (folder / "base.yaml").is_file()), checkout)


def shipped_names() -> list[str]:
    return sorted(path.stem for path in shipped_folder().glob("*.yaml"))


def shipped_config(name: str) -> Path:
    """The file of a shipped configuration by its bare name, such as demo_hybrid."""
    names = shipped_names()
    if name not in names:
        near = get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names) or 'none'}"
        raise InputError(f"there is no shipped configuration {name}; {hint}")
    return shipped_folder() / f"{name}.yaml"


def find_config(name: str) -> Path:
    """The path of a configuration; a bare name that is no file is one of the shipped ones."""
    path = Path(name)
    bare = path.name == name and not path.suffix
    return shipped_config(name) if bare and not path.exists() else path


def clean_manifest(manifest: Path) -> Path:
    """The path that `train prepare` writes for a manifest and `train split` reads: a TSV of a TSV, else a CSV."""
    if manifest.is_dir():
        return manifest / "manifest_clean.csv"
    return manifest.with_name(f"{manifest.stem}_clean{'.tsv' if manifest.suffix == '.tsv' else '.csv'}")
