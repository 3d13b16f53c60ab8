"""Whisper's configuration: sizes of random weights, CTC head, generation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transformers import WhisperConfig, WhisperForConditionalGeneration, WhisperTokenizer
from transformers.models.whisper.tokenization_whisper import LANGUAGES, TASK_IDS

from trainer.collate.labels import token_ids
from trainer.collate.whisper import language_token, prompt_ids
from trainer.models.init_std import init_std
from trainer.models.tokenizers.whisper_and_t5 import START
from trainer.models.whisper.model import WhisperWithCTC

if TYPE_CHECKING:
    from trainer.config import Config
    from trainer.config.model_section import RandomInit
    from trainer.models.ctc import CharacterVocabulary

FRAMES_PER_SECOND = 50  # of the encoder: its second convolution halves the 100 of the features


def sizes(config: Config, random: RandomInit, tokenizer: WhisperTokenizer, window: int) -> WhisperConfig:
    """The configuration for random weights with a window of `window` seconds."""
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
        decoder_start_token_id=token_ids(tokenizer, [START])[0],
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        begin_suppress_tokens=None,
    )


def model_kind(characters: CharacterVocabulary | None) -> type[WhisperForConditionalGeneration]:
    """The model class: with a CTC vocabulary, one with a CTC head."""
    return WhisperForConditionalGeneration if characters is None else WhisperWithCTC


def add_ctc(settings: WhisperConfig, weight: float, characters: CharacterVocabulary | None) -> None:
    """Set the CTC weight and vocabulary size in the configuration."""
    settings.ctc_weight = weight
    settings.ctc_vocabulary_size = 0 if characters is None else len(characters)


def set_generation(model: WhisperForConditionalGeneration, tokenizer: WhisperTokenizer, config: Config) -> None:
    """Set language and task in generation_config; no token is forced or suppressed."""
    task = "translate" if config.model.task == "translate" else "transcribe"
    no_timestamps = prompt_ids(tokenizer, config.model.language, task)[-1]
    languages, tasks = [f"<|{code}|>" for code in LANGUAGES], [f"<|{name}|>" for name in TASK_IDS]
    language_ids = zip(languages, token_ids(tokenizer, languages), strict=True)
    settings = {
        "language": language_token(config.model.language),
        "task": task,
        "lang_to_id": {token: id for token, id in language_ids if id != tokenizer.unk_token_id},
        "task_to_id": dict(zip(TASK_IDS, token_ids(tokenizer, tasks), strict=True)),
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
