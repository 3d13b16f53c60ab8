"""Wav2Vec2 and mBART as one model, with a character CTC head on the encoder if its weight is not 0."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel, SpeechEncoderDecoderConfig, SpeechEncoderDecoderModel
from transformers.modeling_outputs import BaseModelOutput

from trainer.models.ctc import CTCHead, JointOutput, ctc_loss, joint_loss
from trainer.models.e2e.masked_group_norm import ignore_padding
from trainer.models.repeated_batch import batch_repeats

DECODER_ARGUMENTS = {"decoder_input_ids", "decoder_attention_mask", "past_key_values", "use_cache", "return_dict"}


class E2EModel(SpeechEncoderDecoderModel):
    """loss = w * ctc + (1 - w) * attention, with w = config.ctc_weight; `ctc_only` leaves out the decoder."""

    ctc_only = False

    def __init__(
        self,
        config: SpeechEncoderDecoderConfig | None = None,
        encoder: PreTrainedModel | None = None,
        decoder: PreTrainedModel | None = None,
    ) -> None:
        super().__init__(config, encoder, decoder)
        ignore_padding(self.encoder)
        if self.config.ctc_weight:
            self.ctc_head = CTCHead(self.encoder_output_dim, self.config.ctc_vocabulary_size)
            self.post_init()

    def encoder_lengths(self, samples: Tensor) -> Tensor:
        """Number of encoder frames for a number of samples."""
        encoder: Any = self.encoder
        return encoder._get_feat_extract_output_lengths(samples)

    def encode(self, input_values: Tensor, attention_mask: Tensor) -> BaseModelOutput:
        """Encoder output of every row; a repeated batch is encoded once."""
        times = batch_repeats(attention_mask, input_values)
        rows = len(input_values) // times
        encoded = self.encoder(input_values[:rows], attention_mask=attention_mask[:rows]).last_hidden_state
        return BaseModelOutput(last_hidden_state=encoded.repeat(times, 1, 1))

    def forward(
        self,
        input_values: Tensor | None = None,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        ctc_labels: Tensor | None = None,
        encoder_outputs: BaseModelOutput | None = None,
        **kwargs: Any,
    ) -> JointOutput:
        """Both losses from one encoder pass; unknown arguments are ignored."""
        if attention_mask is None and input_values is not None:
            attention_mask = torch.ones_like(input_values, dtype=torch.long)  # no padding, as in transformers
        if encoder_outputs is None:
            if input_values is None or attention_mask is None:
                raise ValueError("either input_values or encoder_outputs are needed")
            encoder_outputs = self.encode(input_values, attention_mask)
        ctc = None if ctc_labels is None else self._ctc_loss(encoder_outputs[0], attention_mask, ctc_labels)
        if self.ctc_only and ctc is not None:
            return JointOutput(loss=ctc, ctc_loss=ctc)
        known = {name: value for name, value in kwargs.items() if name in DECODER_ARGUMENTS}
        if labels is not None:
            known["use_cache"] = False
        output = super().forward(attention_mask=attention_mask, encoder_outputs=encoder_outputs, labels=labels, **known)
        if labels is None or ctc is None:
            return output
        loss = joint_loss(output.loss, ctc, self.config.ctc_weight)
        return JointOutput(**{**output, "loss": loss}, att_loss=output.loss, ctc_loss=ctc)

    def _ctc_loss(self, frames: Tensor, attention_mask: Tensor | None, ctc_labels: Tensor) -> Tensor:
        if attention_mask is None:
            raise ValueError("ctc_labels need an attention_mask")
        lengths = self.encoder_lengths(attention_mask.sum(dim=1))
        return ctc_loss(self.ctc_head(frames), lengths, ctc_labels)
