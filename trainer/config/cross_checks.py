"""Settings that contradict each other. What is merely unwise is the diagnosis's business."""

from collections.abc import Iterator
from dataclasses import dataclass

from trainer.config.schema import Config


@dataclass(frozen=True)
class SettingConflict:
    """The keys involved (the first one is blamed) and what is wrong with them."""

    keys: tuple[str, ...]
    message: str


def find_conflicts(config: Config) -> Iterator[SettingConflict]:
    for check in (_weights, _architecture, _precision, _best_model, _schedule, _audio, _augmentation):
        yield from check(config)


def _weights(config: Config) -> Iterator[SettingConflict]:
    model = config.model
    pair = model.encoder is not None and model.decoder is not None
    if model.random is None and model.name is None and not (model.type == "e2e" and pair):
        required = {"e2e": "model.encoder and model.decoder", "hybrid": "model.name (a trained directory)"}.get(
            model.type, "model.name"
        )
        keys = ("model.type", "model.name", "model.random", "model.encoder", "model.decoder")
        yield SettingConflict(keys, f"is {model.type}, but no source of weights is set; set {required} or model.random")
    for key in ("name", "encoder", "decoder"):
        if model.random is not None and getattr(model, key) is not None:
            message = f"is {getattr(model, key)}, but model.random requests random weights; set one of the two to null"
            yield SettingConflict((f"model.{key}", "model.random"), message)
    if model.random is not None and model.random.hidden % model.random.heads:
        message = f"is {model.random.hidden}, which is not divisible by {model.random.heads} heads; change one of them"
        yield SettingConflict(("model.random.hidden", "model.random.heads"), message)


def _architecture(config: Config) -> Iterator[SettingConflict]:
    model = config.model
    if (model.type == "mt5") != (model.task == "summarize"):
        tasks = "summarize" if model.type == "mt5" else "transcribe, translate or both"
        message = f"is {model.task}, which a model of type {model.type} does not support; its task is {tasks}"
        yield SettingConflict(("model.task", "model.type"), message)
    if model.type == "mt5" and model.ctc_weight:
        yield SettingConflict(("model.ctc_weight", "model.type"), "needs speech, but mt5 uses text; remove it")
    if model.chunk_size is not None and model.type != "hybrid":
        yield SettingConflict(
            ("model.chunk_size", "model.type"), f"is for hybrid; {model.type} has no chunks; remove it"
        )
    if config.training.ctc_only_steps and not model.ctc_weight:
        message = "requests CTC-only steps, but model.ctc_weight is 0; set a weight above 0"
        yield SettingConflict(("training.ctc_only_steps", "model.ctc_weight"), message)


def _precision(config: Config) -> Iterator[SettingConflict]:
    if config.training.fp16 and config.training.bf16:
        yield SettingConflict(("training.fp16", "training.bf16"), "and training.bf16 are both true; keep one")


def _best_model(config: Config) -> Iterator[SettingConflict]:
    training = config.training
    strategies = ("training.eval_strategy", "training.save_strategy")
    if training.early_stopping_patience and training.eval_strategy == "no":
        keys = ("training.early_stopping_patience", "training.eval_strategy")
        yield SettingConflict(keys, "needs evaluations, but training.eval_strategy is no; set it to steps or epoch")
    if not training.load_best_model_at_end:
        return
    if "no" in (training.eval_strategy, training.save_strategy) or training.eval_strategy != training.save_strategy:
        message = f"needs evaluation and saving at the same steps, but eval_strategy is {training.eval_strategy} and "
        message += f"save_strategy is {training.save_strategy}; make them equal (steps or epoch)"
        yield SettingConflict(("training.load_best_model_at_end", *strategies), message)
    elif training.eval_strategy == "steps" and training.save_steps % training.eval_steps:
        message = f"is {training.save_steps}, not a multiple of eval_steps ({training.eval_steps}), so the best model "
        message += "might never be saved; use a multiple, or set load_best_model_at_end to false"
        yield SettingConflict(
            ("training.save_steps", "training.eval_steps", "training.load_best_model_at_end"), message
        )


def _schedule(config: Config) -> Iterator[SettingConflict]:
    if config.training.warmup_ratio and config.training.warmup_steps:
        yield SettingConflict(
            ("training.warmup_ratio", "training.warmup_steps"), "and training.warmup_steps are both set; set one to 0"
        )
    if config.training.max_steps == 0:
        yield SettingConflict(("training.max_steps",), "is 0, so nothing is trained; -1 trains for num_train_epochs")


def _augmentation(config: Config) -> Iterator[SettingConflict]:
    kind, augmentation = config.model.type, config.augmentation
    if augmentation.changes_audio and kind == "mt5":
        keys = ("augmentation.speed_factors", "augmentation.noise_snr_db")
        key = keys[not augmentation.speed_factors]
        yield SettingConflict((key, "model.type"), "changes audio, but mt5 uses text; remove it")
    if augmentation.masks_features and kind not in ("whisper", "hybrid"):
        key = f"augmentation.{'time' if augmentation.time_masks else 'frequency'}_masks"
        message = f"masks log-mel features, which {kind} does not have; remove it, or use whisper or hybrid"
        yield SettingConflict((key, "model.type"), message)
    if augmentation.noise_snr_db and augmentation.noise_snr_db[0] > augmentation.noise_snr_db[1]:
        low, high = augmentation.noise_snr_db
        yield SettingConflict(("augmentation.noise_snr_db",), f"is [{low:g}, {high:g}]; write the lower number first")


def _audio(config: Config) -> Iterator[SettingConflict]:
    audio = config.audio
    if audio.min_length_seconds >= audio.max_length_seconds:
        message = (
            f"is {audio.min_length_seconds}, expected less than audio.max_length_seconds "
            f"({audio.max_length_seconds}); lower it"
        )
        yield SettingConflict(("audio.min_length_seconds", "audio.max_length_seconds"), message)
