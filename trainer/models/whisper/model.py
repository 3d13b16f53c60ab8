"""Whisper with a character CTC head on its encoder."""

from typing import Any

from torch import Tensor
from transformers import WhisperConfig, WhisperForConditionalGeneration

from trainer.models.ctc import CTCHead, JointOutput, ctc_loss, joint_loss


class WhisperWithCTC(WhisperForConditionalGeneration):
    """loss = w * ctc + (1 - w) * attention, with w = config.ctc_weight; `ctc_only` leaves out the decoder."""

    ctc_only = False

    def __init__(self, config: WhisperConfig) -> None:
        super().__init__(config)
        self.ctc_head = CTCHead(config.d_model, config.ctc_vocabulary_size, config.dropout)
        self.post_init()

    def forward(
        self,
        input_features: Tensor | None = None,
        labels: Tensor | None = None,
        ctc_labels: Tensor | None = None,
        **kwargs: Any,
    ) -> JointOutput:
        """Whisper's own forward, plus the CTC loss if there are CTC labels."""
        if self.ctc_only and ctc_labels is not None:
            masked = self.model._mask_input_features(input_features)
            frames = self.model.encoder(masked).last_hidden_state
            ctc = self._ctc_loss(frames, ctc_labels)
            return JointOutput(loss=ctc, ctc_loss=ctc, encoder_last_hidden_state=frames)
        kwargs.pop("return_dict", None)
        output = super().forward(input_features=input_features, labels=labels, **kwargs)
        if labels is None or ctc_labels is None:
            return output
        ctc = self._ctc_loss(output.encoder_last_hidden_state, ctc_labels)
        loss = joint_loss(output.loss, ctc, self.config.ctc_weight)
        return JointOutput(**{**output, "loss": loss}, att_loss=output.loss, ctc_loss=ctc)

    def _ctc_loss(self, frames: Tensor, ctc_labels: Tensor) -> Tensor:
        # Whisper attends to its whole window: the frames of padding exist, and CTC fills them with blanks
        lengths = ctc_labels.new_full((len(frames),), frames.shape[1])
        return ctc_loss(self.ctc_head(frames), lengths, ctc_labels)
