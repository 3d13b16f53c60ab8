"""A small instructable TTS: an instruction sets the style in which a frozen backbone speaks a text as codes."""

import torch
import torch.nn.functional as F
from torch import nn
from transformers import T5Config, T5EncoderModel

WORDS, TEXT, CODES, WIDTH = 32, 24, 24, 32


class InstructionEncoder(nn.Module):
    """A T5 encoder, of whose states a learnable query picks what matters, and a projection to the style."""

    def __init__(self, force_fp32: bool) -> None:
        super().__init__()
        self.t5 = T5EncoderModel(T5Config(vocab_size=WORDS, d_model=WIDTH, d_kv=16, d_ff=64, num_layers=2, num_heads=2))
        self.query = nn.Parameter(torch.randn(1, 1, WIDTH) * 0.02)
        self.attn = nn.MultiheadAttention(WIDTH, 2, batch_first=True)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.force_fp32 = force_fp32

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        device = self.query.device.type
        with torch.autocast(device, enabled=torch.is_autocast_enabled(device) and not self.force_fp32):
            states = self.t5(ids, mask).last_hidden_state
            query = self.query.expand(len(ids), -1, -1)
            style, _ = self.attn(query, states, states, key_padding_mask=mask == 0)
            return self.proj(style)


class Backbone(nn.Module):
    """A pretrained speech decoder that stays frozen, and the adapter that is trained inside it."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(TEXT, WIDTH)
        self.pretrained_part = nn.TransformerEncoderLayer(WIDTH, 2, 64, dropout=0.0, batch_first=True)
        self.adapter = nn.Sequential(nn.Linear(2 * WIDTH, 128), nn.GELU(), nn.Linear(128, WIDTH))

    def forward(self, text: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        states = self.pretrained_part(self.embed(text))
        return states + self.adapter(torch.cat([states, style.expand_as(states)], -1))


class InstructTTS(nn.Module):
    """Codes of speech from a text and an instruction."""

    def __init__(self, force_fp32: bool = True) -> None:
        super().__init__()
        self.instruction = InstructionEncoder(force_fp32)
        self.backbone = Backbone()
        self.head = nn.Linear(WIDTH, CODES)

    def forward(self, text, instruction, instruction_mask, labels) -> dict[str, torch.Tensor]:  # noqa: ANN001
        style = self.instruction(instruction, instruction_mask)
        logits = self.head(self.backbone(text, style))
        return {"loss": F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100), "logits": logits}
