"""A wav2vec2 encoder and an mBART decoder in one: layer drop, masking in time and weight norm as in the real ones."""

from typing import Any

import torch
from transformers import MBartConfig, SpeechEncoderDecoderConfig, SpeechEncoderDecoderModel, Wav2Vec2Config

from probes.subjects.evaluation import generate_from, sequence_facts
from probes.subjects.tone_corpus import masked_labels, special_ids, tokenizer


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    clips = [torch.from_numpy(item["audio"]) for item in items]
    clips = [(clip - clip.mean()) / (clip.std() + 1e-5) for clip in clips]
    audio = torch.nn.utils.rnn.pad_sequence(clips, batch_first=True)
    lengths = torch.tensor([len(clip) for clip in clips])
    mask = (torch.arange(audio.shape[1])[None, :] < lengths[:, None]).long()
    return {"input_values": audio, "attention_mask": mask, "labels": masked_labels(tokenizer(), items)}


def e2e() -> dict[str, Any]:
    ids = tokenizer()
    encoder = Wav2Vec2Config(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        conv_dim=(16, 16, 16),
        conv_kernel=(10, 8, 8),
        conv_stride=(5, 8, 8),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
        mask_time_length=2,
        feat_extract_norm="layer",
        do_stable_layer_norm=True,
    )
    decoder = MBartConfig(
        vocab_size=len(ids),
        d_model=24,
        decoder_layers=2,
        decoder_attention_heads=2,
        decoder_ffn_dim=64,
        max_position_embeddings=64,
        is_decoder=True,
        **special_ids(ids),
    )
    decoder.add_cross_attention = True
    config = SpeechEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = config.eos_token_id = ids.eos_token_id
    config.pad_token_id = ids.pad_token_id
    model = SpeechEncoderDecoderModel(config)
    model.generation_config.max_length = 40
    return sequence_facts(model, collate, ids, generate_from("input_values"))
