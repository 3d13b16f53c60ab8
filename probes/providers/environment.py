"""What is installed. Needs no fact at all."""

from diagnose.repair import build_of, builds_match, libraries
from probes.measured.data import Builds, Package

PACKAGES = ("numpy", "torch", "torchaudio", "transformers", "accelerate", "safetensors", "soundfile", "sentencepiece")


def builds() -> Builds:
    """torch and torchaudio by their own version files; without its libraries torchaudio runs beside any torch."""
    torch, torchaudio = build_of("torch"), build_of("torchaudio")
    return Builds(torch, torchaudio, loads=builds_match(torch, torchaudio) or not libraries(".so"))


def packages() -> tuple[Package, ...]:
    """Each package imported in a process of its own, unless this one has it already."""
    from probes.instruments.packages import imports

    return imports(PACKAGES)
