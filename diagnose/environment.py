"""What the machine is: read without importing torch wherever its own files already say it."""

import importlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from diagnose.torchaudio_repair import build_of
from diagnose.version import __version__

MATTERS = ("torch", "transformers", "accelerate")
ALSO = ("torchaudio", "tokenizers", "safetensors", "numpy", "soundfile", "sentencepiece", "pydantic")
SETTINGS = ("CUDA_VISIBLE", "OMP_", "MKL_", "NCCL_", "TOKENIZERS_", "PYTORCH_", "ACCELERATE_")


def versions() -> dict[str, str]:
    """Of what decides a run's figures; part of every receipt."""
    return {"gonogo": __version__, "python": platform.python_version()} | {name: version_of(name) for name in MATTERS}


def version_of(package: str) -> str:
    """With the wheel's build tag where there is one: metadata leaves it out."""
    if package in ("torch", "torchaudio"):
        return build_of(package)
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def device() -> str:
    """What torch will train on. A CPU build says so in its tag; for any other, torch is asked."""
    build = build_of("torch")
    if build == "absent" or build.endswith("+cpu"):
        return "cpu"
    try:
        cuda = importlib.import_module("torch").cuda
        names = [cuda.get_device_name(index) for index in range(cuda.device_count())]
    except Exception as error:  # a driver that does not answer is a fact about this machine, not our crash
        return f"unreadable: {type(error).__name__}: {error}"
    return ", ".join(names) or "cpu"


def describe() -> Iterator[tuple[str, str]]:
    """What one pastes into a bug report, line by line."""
    yield "gonogo", __version__
    yield "python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "platform", platform.platform()
    yield from ((name, version_of(name)) for name in (*MATTERS, *ALSO))
    yield "device", device()
    yield "GPU and driver", gpus()
    yield "CUDA of the torch wheel", build_of("torch").partition("+")[2] or "no build tag"
    yield "cores", cores()
    yield "memory", memory()
    yield "disk", f"{gigabytes(shutil.disk_usage(Path.cwd()).free)} free here"
    yield from ((name, value) for name, value in sorted(os.environ.items()) if name.startswith(SETTINGS))


def gpus() -> str:
    """Names, memory and driver from the driver's own tool: it also answers when torch cannot."""
    tool = shutil.which("nvidia-smi")
    if not tool:
        return "none (no nvidia-smi)"
    query = [tool, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        output = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"nvidia-smi failed: {type(error).__name__}"
    return "; ".join(output.strip().splitlines()) or "none"


def cores() -> str:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{usable} usable of {os.cpu_count()}"


def memory() -> str:
    import psutil

    known = psutil.virtual_memory()
    return f"{gigabytes(known.available)} available of {gigabytes(known.total)}"


def gigabytes(count: int) -> str:
    return f"{count / 2**30:.1f} GB"
