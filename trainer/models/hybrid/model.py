"""The hybrid CTC/attention model: a Conformer encoder with a CTC head and an attention decoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from transformers import GenerationMixin, PreTrainedConfig, PreTrainedModel, initialization

from trainer.collate.labels import IGNORE
from trainer.models.ctc import CTCHead, JointOutput, ctc_loss, joint_loss, token_loss
from trainer.models.hybrid.conformer import ConformerBlock, Subsampling, attention_mask, positions, valid_frames
from trainer.models.hybrid.decoder import Decoder, greedy
from trainer.models.repeated_batch import batch_repeats


class HybridConfig(PreTrainedConfig):
    """Sizes and ids; `chunk_size` is in encoder frames (four feature frames each), 0 for no chunks."""

    model_type = "hybrid_conformer"

    vocab_size: int = 64
    num_mel_bins: int = 80
    hidden_size: int = 96
    layers: int = 2
    decoder_layers: int = 1
    heads: int = 4
    ffn: int = 384
    dropout: float = 0.1
    conv_channels: int = 64
    conv_kernel: int = 15
    chunk_size: int = 0
    ctc_weight: float = 0.3
    pad_token_id: int | None = 0
    bos_token_id: int | None = 1
    eos_token_id: int | None = 2
    decoder_start_token_id: int | None = 1
    transcribe_token_id: int = 4
    is_encoder_decoder: bool = True
    tie_word_embeddings: bool = True


class Encoder(nn.Module):
    """Subsampling, positions and Conformer blocks."""

    def __init__(self, config: HybridConfig) -> None:
        super().__init__()
        self.chunk_size = config.chunk_size
        self.subsampling = Subsampling(config.num_mel_bins, config.conv_channels, config.hidden_size)
        self.dropout = nn.Dropout(config.dropout)
        sizes = (config.hidden_size, config.heads, config.ffn, config.conv_kernel, config.dropout)
        self.blocks = nn.ModuleList(ConformerBlock(*sizes, causal=config.chunk_size > 0) for _ in range(config.layers))

    def forward(self, feats: Tensor, feat_lens: Tensor) -> tuple[Tensor, Tensor]:
        """Encoder frames, zero on padding, and the mask of the real ones."""
        x = self.subsampling(feats, feat_lens)
        valid = valid_frames(self.subsampling.lengths(feat_lens), x.shape[1])
        mask = attention_mask(valid, self.chunk_size)
        x = self.dropout(x + positions(0, x.shape[1], x.shape[2], x.device))
        for block in self.blocks:
            x = block(x, valid, mask)
        return x * valid[..., None], valid


class HybridModel(PreTrainedModel, GenerationMixin):
    """Batches are feats, feat_lens, toks, tok_lens; the loss is w * ctc + (1 - w) * attention."""

    config_class = HybridConfig
    main_input_name = "feats"
    supports_gradient_checkpointing = True
    _tied_weights_keys = {"head.weight": "decoder.embedding.weight"}  # noqa: RUF012

    def __init__(self, config: HybridConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        sizes = (config.hidden_size, config.decoder_layers, config.heads, config.ffn, config.dropout)
        self.decoder = Decoder(config.vocab_size, *sizes)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.ctc = CTCHead(config.hidden_size, config.vocab_size, config.dropout) if config.ctc_weight else None
        self.ctc_only = False
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """Xavier init: with transformers' narrow normal init, attention takes twice as long to align."""
        if isinstance(module, (nn.Linear, nn.Conv1d)):
            initialization.xavier_uniform_(module.weight)
            if module.bias is not None:
                initialization.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            initialization.normal_(module.weight, std=module.embedding_dim**-0.5)
        else:
            super()._init_weights(module)

    def get_input_embeddings(self) -> nn.Module:
        return self.decoder.embedding

    def get_output_embeddings(self) -> nn.Module:
        return self.head

    def encoder_lengths(self, frames: Tensor) -> Tensor:
        """Number of encoder frames for a number of feature frames."""
        return self.encoder.subsampling.lengths(frames)

    def encode(self, feats: Tensor, feat_lens: Tensor) -> tuple[Tensor, Tensor]:
        """Encoder output and the mask of its real frames; the mask's sum is the number of frames."""
        times = batch_repeats(feat_lens, feats)
        rows = len(feats) // times
        encoded, valid = self.encoder(feats[:rows], feat_lens[:rows])
        return encoded.repeat(times, 1, 1), valid.repeat(times, 1)

    def ctc_targets(self, toks: Tensor) -> Tensor:
        """CTC targets: the tokens of transcription rows, without task and end token."""
        transcribed = toks[:, :1] == self.config.transcribe_token_id
        text = toks[:, 1:]
        return torch.where(transcribed & (text != self.config.eos_token_id), text, IGNORE)

    def forward(
        self, feats: Tensor, feat_lens: Tensor, toks: Tensor, tok_lens: Tensor | None = None, **_: object
    ) -> JointOutput:
        """Both losses from one encoder pass; extra arguments are ignored."""
        encoded, valid = self.encode(feats, feat_lens)
        lengths = self.encoder_lengths(feat_lens)
        ctc = (
            ctc_loss(self.ctc(encoded), lengths, self.ctc_targets(toks), self.config.pad_token_id) if self.ctc else None
        )
        if self.ctc_only:
            return JointOutput(loss=ctc, ctc_loss=ctc, encoder_lengths=lengths)
        logits = self._decode(toks, encoded, valid)
        att = token_loss(logits, toks)
        loss = joint_loss(att, ctc, self.config.ctc_weight)
        return JointOutput(loss=loss, logits=logits, att_loss=att, ctc_loss=ctc, encoder_lengths=lengths)

    def _decode(self, toks: Tensor, encoded: Tensor, valid: Tensor) -> Tensor:
        start = torch.full_like(toks[:, :1], self.config.decoder_start_token_id)
        before = torch.cat([start, toks[:, :-1]], dim=1)
        tokens = before.masked_fill(before == IGNORE, self.config.pad_token_id)
        hidden, _ = self.decoder(tokens, self.decoder.memories(encoded), valid)
        return self.head(hidden)

    @torch.no_grad()
    def generate(  # type: ignore[override]  # greedy only, on inputs of its own
        self, feats: Tensor, feat_lens: Tensor, prompt: Tensor, max_length: int = 256
    ) -> Tensor:
        """Greedy tokens, the start token and prompt included, at most `max_length` of them."""
        encoded, valid = self.encode(feats, feat_lens)
        start = torch.full_like(prompt[:, :1], self.config.decoder_start_token_id)
        end, pad = self.config.eos_token_id, self.config.pad_token_id
        prompt = torch.cat([start, prompt], dim=1)
        return greedy(self.decoder, self.head, prompt, encoded, valid, end, pad, max_length)
