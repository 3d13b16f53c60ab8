"""Weights by name: what cannot be had is told in one sentence, and soon."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from huggingface_hub import constants
from transformers import WhisperConfig, WhisperForConditionalGeneration

from diagnose.common.errors import InputError
from trainer.models.pretrained import load, load_model

NAME = "nobody-we-know/no-such-whisper"


@pytest.fixture
def silent_server():
    """Takes a connection and never answers, as some firewalls do."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
def test_a_hub_that_does_not_answer_is_told_within_seconds(monkeypatch, silent_server) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", silent_server)
    monkeypatch.setattr("trainer.models.pretrained.PATIENCE", 0.5)
    began = time.monotonic()
    with pytest.raises(InputError, match=f"model.name: {NAME} is not a directory and not in the cache, and the hub"):
        load(WhisperConfig, NAME)
    assert time.monotonic() - began < 5


def test_a_hub_that_is_not_there_is_told_at_once(monkeypatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"use a local directory, or set model.random"):
        load_model(WhisperForConditionalGeneration, NAME)


@pytest.mark.slow
def test_offline_mode_is_named_and_ends_with_exit_code_2(tmp_path) -> None:
    imports = "from trainer.models.pretrained import load; from transformers import WhisperConfig"
    command = f"import click\n@click.command()\ndef main():\n    {imports}; load(WhisperConfig, {NAME!r})\nmain()"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 2 and "HF_HUB_OFFLINE is set" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["./nothing", "/nothing/here", "~/nothing-here", "a/b/c"])
def test_a_directory_that_is_not_there(name: str) -> None:
    with pytest.raises(InputError, match=r"model.name: there is no directory"):
        load(WhisperConfig, name)


@pytest.mark.parametrize("spoil", ["empty", "cut", "other"])
def test_a_directory_that_holds_something_else(tmp_path: Path, spoil: str) -> None:
    sizes = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}
    if spoil != "empty":
        sizes |= {"vocab_size": 60, "encoder_attention_heads": 1, "decoder_attention_heads": 1, "pad_token_id": 1}
        sizes |= {"bos_token_id": 1, "eos_token_id": 1, "decoder_start_token_id": 2}
        WhisperForConditionalGeneration(WhisperConfig(**sizes)).save_pretrained(tmp_path)
        weights = tmp_path / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:5000] if spoil == "cut" else b"no weights at all")
    with pytest.raises(InputError, match=r"cannot be loaded as WhisperForConditionalGeneration"):
        load_model(WhisperForConditionalGeneration, str(tmp_path))
