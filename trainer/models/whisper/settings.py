"""Whisper's settings: sizes of random weights, the CTC head, and what generation starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transformers import WhisperConfig, WhisperForConditionalGeneration, WhisperTokenizer
from transformers.models.whisper.tokenization_whisper import LANGUAGES, TASK_IDS

from trainer.collate.whisper import language_token, prompt_ids
from trainer.models.init_std import init_std
from trainer.models.tokenizers.whisper_and_t5 import START
from trainer.models.whisper.model import WhisperWithCTC

if TYPE_CHECKING:
    from trainer.config import Config
    from trainer.models.ctc import CharacterVocabulary

FRAMES_PER_SECOND = 50  # of the encoder: its second convolution halves the 100 of the features


def sizes(config: Config, tokenizer: WhisperTokenizer, window: int) -> WhisperConfig:
    """A configuration for random weights whose window is `window` seconds."""
    random = config.model.random
    return WhisperConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=config.audio.num_mel_bins,
        d_model=random.hidden,
        encoder_layers=random.layers,
        decoder_layers=random.decoder_layers,
        encoder_attention_heads=random.heads,
        decoder_attention_heads=random.heads,
        encoder_ffn_dim=random.ffn,
        decoder_ffn_dim=random.ffn,
        dropout=random.dropout,
        init_std=init_std(random.hidden),
        max_source_positions=window * FRAMES_PER_SECOND,
        max_target_positions=config.model.max_label_length,
        decoder_start_token_id=tokenizer.convert_tokens_to_ids(START),
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        begin_suppress_tokens=None,
    )


def model_kind(characters: CharacterVocabulary | None) -> type[WhisperForConditionalGeneration]:
    """With characters to score, the model has a CTC head."""
    return WhisperForConditionalGeneration if characters is None else WhisperWithCTC


def add_ctc(settings: WhisperConfig, weight: float, characters: CharacterVocabulary | None) -> None:
    """What the CTC head and the weighing of the losses need to know."""
    settings.ctc_weight = weight
    settings.ctc_vocabulary_size = 0 if characters is None else len(characters)


def set_generation(model: WhisperForConditionalGeneration, tokenizer: WhisperTokenizer, config: Config) -> None:
    """Language and task stand in generation_config, where older releases forced ids; every token may be said."""
    task = "translate" if config.model.task == "translate" else "transcribe"
    no_timestamps = prompt_ids(tokenizer, config.model.language, task)[-1]
    known = {f"<|{code}|>": tokenizer.convert_tokens_to_ids(f"<|{code}|>") for code in LANGUAGES}
    settings = {
        "language": language_token(config.model.language),
        "task": task,
        "lang_to_id": {token: number for token, number in known.items() if number != tokenizer.unk_token_id},
        "task_to_id": {name: tokenizer.convert_tokens_to_ids(f"<|{name}|>") for name in TASK_IDS},
        "no_timestamps_token_id": no_timestamps,
        "is_multilingual": True,
        "return_timestamps": False,
        "forced_decoder_ids": None,
        "suppress_tokens": None,
        "max_length": config.training.generation_max_length,
        "num_beams": config.training.generation_num_beams,
        "_from_model_config": False,  # while it is true, reading the file again drops language, task and the tables
    }
    # not GenerationConfig.update: it passes silently over what is Whisper's own
    for name, value in settings.items():
        setattr(model.generation_config, name, value)
    model.config.forced_decoder_ids = None
