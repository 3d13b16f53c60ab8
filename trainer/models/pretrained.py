"""Pretrained weights and tokenizers: from a local directory, the cache or the hub, in float32."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi
from huggingface_hub.errors import OfflineModeIsEnabled, RepositoryNotFoundError
from safetensors import SafetensorError

from diagnose.common.errors import InputError
from trainer.models.released_sizes import reads_no_weights, settings_of

PATIENCE = 5.0  # seconds; left to itself, transformers retries half a minute for each file
UNREADABLE = (OSError, ValueError, RuntimeError, KeyError, TypeError, SafetensorError)


def load(kind: Any, name: str, key: str = "model.name", **options: Any) -> Any:
    """`kind.from_pretrained` of a directory or hub name; the hub is asked only for what is not cached."""
    if reads_no_weights():
        return settings_of(kind, name, key)
    if is_directory(name, key):
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # reading a file of this machine is no news; a download shows its own bar
        return _read(kind, str(Path(name).expanduser()), key, local_files_only=True, **options)
    with suppress(*UNREADABLE):
        return kind.from_pretrained(name, local_files_only=True, **options)
    _require_hub(name, key)
    return _read(kind, name, key, **options)


def load_model(
    kind: Any, name: str, key: str = "model.name", may_be_fresh: Sequence[str] = (), **options: Any
) -> tuple[Any, list[str]]:
    """The model in float32, and the patterns of `may_be_fresh` that match missing parameters."""
    import torch

    if reads_no_weights():
        settings = options.get("config") or settings_of(kind.config_class, name, key)
        return kind(settings), []
    model, info = load(kind, name, key, dtype=torch.float32, output_loading_info=True, **options)
    missing = sorted(info["missing_keys"])
    lacking = [entry for entry in missing if not any(fnmatch(entry, pattern) for pattern in may_be_fresh)]
    if lacking:
        raise InputError(
            f"{key}: the weights of {name} lack {len(lacking)} parameters of {kind.__name__} (such as {lacking[0]}), "
            "so it is another kind of model or incomplete; use one that matches model.type"
        )
    return model, [pattern for pattern in may_be_fresh if any(fnmatch(entry, pattern) for entry in missing)]


def require_name(name: str | None, key: str = "model.name") -> str:
    """The name under a key that a configuration without model.random must have."""
    if name is None:
        raise InputError(f"{key}: no source of weights is set; set it, or model.random")
    return name


def is_directory(name: str, key: str = "model.name") -> bool:
    """Whether a name is a local directory; refuses a path that does not exist."""
    path = Path(name).expanduser()
    if path.is_dir():
        return True
    if path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(f"{key}: there is no directory {name}; use an existing one or a hub name such as owner/model")
    return False


def _read(kind: Any, name: str, key: str, **options: Any) -> Any:
    try:
        return kind.from_pretrained(name, **options)
    except Exception as error:  # transformers and tokenizers raise anything on a damaged file
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(
            f"{key}: {name} cannot be loaded as {kind.__name__} ({reason}); use a directory or hub name of such a model"
        ) from error


def _require_hub(name: str, key: str) -> None:
    try:
        HfApi().model_info(name, timeout=PATIENCE)
    except RepositoryNotFoundError as error:
        raise InputError(
            f"{key}: the hub has no public model {name}; check the spelling, or log in if it is private"
        ) from error
    except Exception as error:
        offline = isinstance(error, OfflineModeIsEnabled) or os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0")
        reason = "HF_HUB_OFFLINE is set" if offline else f"the hub does not answer: {type(error).__name__}"
        raise InputError(
            f"{key}: {name} is not a directory and not in the cache, and {reason}; download it once with network "
            "access, or use a local directory, or set model.random to start from random weights"
        ) from error
