"""Which model a new configuration has, pretrained or from random weights, and of which size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trainer.init.machine import Machine

TYPES = ("whisper", "e2e", "hybrid", "mt5")
WHISPERS = ((24.0, "small", 1e-5), (8.0, "base", 5e-5), (0.0, "tiny", 1e-4))  # from so many GB: size, learning rate
GIGABYTES = {"tiny": 0.4, "base": 0.7, "small": 1.5}  # of one row of 30 s, forward and backward, with the optimizer
WEIGHTS = ("model.name", "model.encoder", "model.decoder")
PIECES = 600  # subword pieces, where there are texts enough to learn them from
PIECE_TEXTS = 20_000  # characters


@dataclass(frozen=True)
class ModelChoice:
    """A model with its settings; `gigabytes_per_row` is what one row of a batch needs on a GPU."""

    type: str
    pretrained: bool
    learning_rate: float
    settings: Mapping[str, tuple[Any, str]]
    vocabulary: str | int = "pretrained"
    gigabytes_per_row: float = 1.0

    def __str__(self) -> str:
        if not self.pretrained:
            return f"{self.type} from random weights, 96 wide, 2 + 2 layers, vocabulary {self.vocabulary}"
        names = [
            str(self.settings[key][0])
            for key in ("model.name", "model.encoder", "model.decoder")
            if key in self.settings
        ]
        return f"{self.type}, pretrained: {' + '.join(names)}"


def choose_model(
    kind: str | None, weights: str, text_task: bool, characters: int, task: str, language: str, machine: Machine
) -> ModelChoice:
    """Without a wish: mt5 for texts; for speech, whisper where there is a GPU to fine-tune it, else a small hybrid."""
    kind = kind or ("mt5" if text_task else "whisper" if machine.gpu else "hybrid")
    pretrained = weights == "pretrained" or (weights == "auto" and (bool(machine.gpu) or kind == "whisper"))
    common = {"model.type": (kind, ""), "model.task": (task, _meaning(task))}
    if kind in ("whisper", "e2e"):
        common["model.language"] = (language, "of the texts; a guess: correct it if it is wrong")
    if kind == "hybrid" or not pretrained:
        return _random(kind, characters, common)
    return {"whisper": _whisper, "e2e": _e2e, "mt5": _mt5}[kind](machine, common)


def _meaning(task: str) -> str:
    return "there are transcripts and translations" if task == "both" else ""


def _random(kind: str, characters: int, common: dict[str, tuple[Any, str]]) -> ModelChoice:
    small = kind == "hybrid" or characters < PIECE_TEXTS
    vocabulary: str | int = "characters" if small else PIECES
    sizes = {"hidden": 96, "layers": 2, "decoder_layers": 2, "heads": 4, "ffn": 256, "dropout": 0.1}
    weight = {"hybrid": 0.3, "whisper": 0.5, "e2e": 0.5}.get(kind)
    ctc = {"model.ctc_weight": (weight, "CTC next to attention: the encoder learns sooner")} if weight else {}
    random: dict[str, tuple[Any, str]] = {f"model.random.{key}": (value, "") for key, value in sizes.items()}
    random["model.random.vocabulary"] = (vocabulary, "built from the training texts")
    rate = 1e-3 if kind == "mt5" else 2e-3
    return ModelChoice(kind, False, rate, {**common, **ctc, **random}, vocabulary, gigabytes_per_row=0.5)


def _whisper(machine: Machine, common: dict[str, tuple[Any, str]]) -> ModelChoice:
    size, rate = next((size, rate) for gigabytes, size, rate in WHISPERS if machine.gpu_gigabytes >= gigabytes)
    name = {"model.name": (f"openai/whisper-{size}", "downloaded from the hub at the first use; or a local directory")}
    return ModelChoice("whisper", True, rate, {**common, **name}, gigabytes_per_row=GIGABYTES[size])


def _e2e(machine: Machine, common: dict[str, tuple[Any, str]]) -> ModelChoice:
    named = {
        "model.encoder": ("facebook/wav2vec2-base", "downloaded from the hub at the first use"),
        "model.decoder": ("facebook/mbart-large-50", ""),
        "model.freeze_encoder": (True, "saves memory"),
    }
    return ModelChoice("e2e", True, 1e-5, {**common, **named}, gigabytes_per_row=3.0)


def _mt5(machine: Machine, common: dict[str, tuple[Any, str]]) -> ModelChoice:
    name = {"model.name": ("google/mt5-small", "downloaded from the hub at the first use; or a local directory")}
    return ModelChoice("mt5", True, 1e-4, {**common, **name}, gigabytes_per_row=1.5)
