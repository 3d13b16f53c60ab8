"""Which packages a tokenizer's files need, told by the files where they are here, else by the model's name."""

import os
import re
from pathlib import Path

NEEDED = ("sentencepiece", "google.protobuf")
PIECES = "*.model"  # spiece.model, sentencepiece.bpe.model, tokenizer.model
# Families whose released vocabularies are sentencepiece models.
FAMILIES = re.compile(r"(^|[/_.-])(m?t5|umt5|flan|mbart|nllb|m2m|pegasus|albert|xlm|camembert|marian|opus-mt)", re.I)
BYTES = re.compile(r"byt5", re.I)  # reads bytes, needs no vocabulary


def packages_for(source: str) -> tuple[str, tuple[str, ...]]:
    """Why, and which; none where the fast tokenizer's own file is there."""
    folders = [Path(source).expanduser()] if Path(source).expanduser().is_dir() else _cached(source)
    for folder in folders:
        if (folder / "tokenizer.json").exists():
            return "its tokenizer.json can be read directly", ()
        if pieces := sorted(path.name for path in folder.glob(PIECES)):
            return f"its vocabulary is {pieces[0]}", NEEDED
    if folders or BYTES.search(source) or not FAMILIES.search(source):
        return "it has no sentencepiece vocabulary", ()
    return "its family has a sentencepiece vocabulary", NEEDED


def _cached(name: str) -> list[Path]:
    """The snapshots of a hub name that are on this machine."""
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    return sorted((hub / f"models--{name.replace('/', '--')}" / "snapshots").glob("*/"))
