"""What the receipt of somebody else's run covers: its settings, its data by name and size, its weights, its script."""

import hashlib
import sys
from pathlib import Path
from typing import Any

import torch

from diagnose.common.file_digest import file_sha256
from diagnose.gate.digests import DigestInputs


def describe_dataset(dataset: Any) -> dict[str, Any]:
    """Type, length, and the fingerprint that the package datasets gives its tables."""
    if dataset is None:
        return {}
    if isinstance(dataset, dict):
        return {str(name): describe_dataset(one) for name, one in dataset.items()}
    found = {"type": type(dataset).__name__, "fingerprint": getattr(dataset, "_fingerprint", None)}
    return found | ({"rows": len(dataset)} if hasattr(dataset, "__len__") else {})


def weights_digest(model: torch.nn.Module) -> dict[str, str]:
    """One digest over all weights and buffers: about a second for each GB."""
    total = hashlib.sha256()
    for name, value in model.state_dict().items():
        if isinstance(value, torch.Tensor) and not value.is_meta:
            total.update(name.encode())
            total.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return {"weights": total.hexdigest()[:12]}


def script_digest() -> str:
    """The script that is running, by its content; empty in a notebook."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return file_sha256(Path(file)).hex()[:12] if file and Path(file).is_file() else ""


def digest_inputs_of(output_dir: Any, model: torch.nn.Module, train: Any, evaluation: Any, **settings: Any) -> Any:
    """The fact `digest_inputs` of a run that has no configuration file."""
    data = {"train_dataset": describe_dataset(train), "eval_dataset": describe_dataset(evaluation)}
    config = {**settings, **data, "script": script_digest()}
    return DigestInputs(Path(output_dir), config, random_weights_key=weights_digest(model))
