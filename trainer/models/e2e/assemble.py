"""Joins Wav2Vec2 and mBART into one model: sizes, adapter, added tokens, start token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import (
    MBartConfig,
    MBartForCausalLM,
    MBartForConditionalGeneration,
    SpeechEncoderDecoderConfig,
    Wav2Vec2Config,
    Wav2Vec2Model,
)
from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES

from diagnose.common.errors import InputError
from trainer.models import pretrained
from trainer.models.e2e.model import E2EModel
from trainer.models.init_std import init_std

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from trainer.config import Config
    from trainer.config.model_section import RandomInit
    from trainer.models.ctc import CharacterVocabulary

CONVOLUTIONS = 7


def language_code(language: str) -> str:
    """mBART's code of a language given as `vi` or `vi_VN`."""
    for code in FAIRSEQ_LANGUAGE_CODES:
        if language in (code, code.partition("_")[0]):
            return code
    raise InputError(
        f"model.language: mBART-50 does not support {language}; use one of {' '.join(FAIRSEQ_LANGUAGE_CODES)}"
    )


def random_pair(config: Config, random: RandomInit, vocabulary: int) -> tuple[Wav2Vec2Model, MBartForCausalLM]:
    """Encoder and decoder of the sizes under model.random."""
    encoder = Wav2Vec2Config(
        hidden_size=random.hidden,
        num_hidden_layers=random.layers,
        num_attention_heads=random.heads,
        intermediate_size=random.ffn,
        conv_dim=[random.conv_channels] * CONVOLUTIONS,
        feat_extract_norm=random.conv_norm,
        do_stable_layer_norm=True,
        initializer_range=init_std(random.hidden),
        num_conv_pos_embeddings=2 * random.conv_kernel,
        hidden_dropout=random.dropout,
        attention_dropout=random.dropout,
        activation_dropout=random.dropout,
        feat_proj_dropout=0.0,
        mask_time_prob=0.0,
        layerdrop=0.0,
    )
    decoder = MBartConfig(  # type: ignore[call-arg]  # add_cross_attention is read from **kwargs
        vocab_size=vocabulary,
        d_model=random.hidden,
        decoder_layers=random.decoder_layers,
        decoder_attention_heads=random.heads,
        decoder_ffn_dim=random.ffn,
        dropout=random.dropout,
        attention_dropout=random.dropout,
        max_position_embeddings=max(config.model.max_label_length, config.training.generation_max_length) + 2,
        init_std=init_std(random.hidden),
        is_decoder=True,
        add_cross_attention=True,
    )
    return Wav2Vec2Model(encoder), MBartForCausalLM(decoder)


def released_pair(config: Config, vocabulary: int) -> tuple[Wav2Vec2Model, MBartForCausalLM]:
    """The pretrained encoder and decoder, whose embedding and tied head are resized for the added tokens."""
    encoder, _ = pretrained.load_model(
        Wav2Vec2Model,
        pretrained.require_name(config.model.encoder, "model.encoder"),
        "model.encoder",
        may_be_fresh=("masked_spec_embed",),
    )
    encoder.config.layerdrop = 0.0  # a layer left out has no gradient, which processes in parallel wait for
    decoder = _released_decoder(pretrained.require_name(config.model.decoder, "model.decoder"))
    if vocabulary != decoder.get_input_embeddings().num_embeddings:
        decoder.resize_token_embeddings(vocabulary)
    _require_adapter(config, encoder.config.hidden_size, decoder.config.d_model)
    return encoder, decoder


def _released_decoder(name: str) -> MBartForCausalLM:
    """The decoder of an mBART; a full mBART is loaded in full, for its embedding may be the shared one."""
    settings = pretrained.load(MBartConfig, name, "model.decoder")
    if "MBartForCausalLM" in (settings.architectures or ()):
        return pretrained.load_model(MBartForCausalLM, name, "model.decoder")[0]
    whole, _ = pretrained.load_model(MBartForConditionalGeneration, name, "model.decoder", ("final_logits_bias",))
    with torch.device("meta"):  # both of its parts are replaced at once
        decoder = MBartForCausalLM(settings)
    decoder.model.decoder, decoder.lm_head = whole.model.decoder, whole.lm_head
    return decoder


def join_encoder_decoder(
    config: Config, encoder: Wav2Vec2Model, decoder: MBartForCausalLM, characters: CharacterVocabulary | None
) -> E2EModel:
    """The joint model, with a linear adapter (enc_to_dec_proj) if the sizes differ."""
    joint: Any = SpeechEncoderDecoderConfig.from_encoder_decoder_configs(encoder.config, decoder.config)
    return E2EModel(add_ctc(joint, config, characters), encoder, decoder)


def add_ctc(
    settings: SpeechEncoderDecoderConfig, config: Config, characters: CharacterVocabulary | None
) -> SpeechEncoderDecoderConfig:
    """Set the CTC weight and vocabulary size in the configuration."""
    settings.ctc_weight = config.model.ctc_weight
    settings.ctc_vocabulary_size = len(characters) if characters is not None else 0
    return settings


def set_tokens(model: E2EModel, tokenizer: PreTrainedTokenizerBase, config: Config) -> None:
    """Set start, end and padding ids in the outer configuration, which loss and generation read."""
    ids = {
        "decoder_start_token_id": tokenizer.convert_tokens_to_ids(language_code(config.model.language)),
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    for name, id in ids.items():
        setattr(model.config, name, id)
        setattr(model.generation_config, name, id)


def _require_adapter(config: Config, encoder: int, decoder: int) -> None:
    if encoder != decoder and not config.model.add_adapter:
        raise InputError(
            f"model.add_adapter is false, but the encoder outputs {encoder} values per frame and the decoder expects "
            f"{decoder}; set it to true."
        )
