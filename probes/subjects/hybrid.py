"""A small CTC and attention hybrid in plain torch: one encoder, a CTC head, a decoder, one loss of both."""

from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy, ctc_loss

from probes.subjects.evaluation import sequence_facts
from probes.subjects.tone_corpus import RATE, masked_labels, tokenizer

BANDS, WEIGHT = 40, 0.3


def features(audio: torch.Tensor) -> torch.Tensor:
    """Log energies in 40 bands, 100 frames a second, mean and scale of each clip taken out."""
    frames = audio.unfold(0, RATE // 40, RATE // 100)
    energy = torch.fft.rfft(frames).abs().square()[:, : 5 * BANDS].reshape(len(frames), BANDS, 5).mean(-1)
    logs = (energy + 1e-6).log()
    return (logs - logs.mean(0)) / (logs.std(0) + 1e-5)


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    frames = [features(torch.from_numpy(item["audio"])) for item in items]
    tokens = masked_labels(tokenizer(), items)
    lengths = {"feat_lens": torch.tensor([len(f) for f in frames]), "tok_lens": (tokens != -100).sum(1)}
    return {"feats": nn.utils.rnn.pad_sequence(frames, batch_first=True), "toks": tokens, **lengths}


class Hybrid(nn.Module):
    def __init__(self, vocabulary: int, width: int = 32) -> None:
        super().__init__()
        self.subsample = nn.Conv1d(BANDS, width, 3, stride=2, padding=1)
        layer: dict[str, Any] = {
            "d_model": width,
            "nhead": 2,
            "dim_feedforward": 64,
            "dropout": 0.1,
            "batch_first": True,
        }
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**layer), 2, enable_nested_tensor=False)
        self.ctc = nn.Linear(width, vocabulary + 1)  # the last class is the blank
        self.embed = nn.Embedding(vocabulary + 1, width)  # the last one is the start
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**layer), 2)
        self.head = nn.Linear(width, vocabulary)
        self.vocabulary = vocabulary

    def encode(self, feats: torch.Tensor, feat_lens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        hidden = self.subsample(feats.transpose(1, 2)).transpose(1, 2)
        lengths = (feat_lens + 1) // 2
        silent = torch.arange(hidden.shape[1], device=feats.device)[None, :] >= lengths[:, None]
        return self.encoder(hidden, src_key_padding_mask=silent), lengths, silent

    def forward(
        self, feats: torch.Tensor, feat_lens: torch.Tensor, toks: torch.Tensor, tok_lens: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        hidden, lengths, silent = self.encode(feats, feat_lens)
        ctc = self._ctc(hidden, lengths, toks, tok_lens)
        logits = self._decode(hidden, silent, toks)
        attention = cross_entropy(logits.flatten(0, 1), toks.flatten(), ignore_index=-100)
        return {
            "loss": WEIGHT * ctc + (1 - WEIGHT) * attention,
            "logits": logits,
            "att_loss": attention,
            "ctc_loss": ctc,
        }

    def _ctc(
        self, hidden: torch.Tensor, lengths: torch.Tensor, toks: torch.Tensor, tok_lens: torch.Tensor
    ) -> torch.Tensor:
        scores = self.ctc(hidden).log_softmax(-1).transpose(0, 1)
        return ctc_loss(scores, toks.clamp(min=0), lengths, tok_lens, blank=self.vocabulary)

    def _decode(self, hidden: torch.Tensor, silent: torch.Tensor, toks: torch.Tensor) -> torch.Tensor:
        start = torch.full_like(toks[:, :1], self.vocabulary)
        inputs = self.embed(torch.cat([start, toks[:, :-1].clamp(min=0)], dim=1))
        ahead = nn.Transformer.generate_square_subsequent_mask(inputs.shape[1], device=inputs.device)
        return self.head(self.decoder(inputs, hidden, tgt_mask=ahead, memory_key_padding_mask=silent))

    @torch.no_grad()
    def greedy_decode(
        self, feats: torch.Tensor, feat_lens: torch.Tensor, end: int, limit: int = 40, prompt: tuple[int, ...] = ()
    ) -> torch.Tensor:
        """The likeliest token, again and again, until every row has ended."""
        hidden, _, silent = self.encode(feats, feat_lens)
        toks = torch.tensor([[*prompt, 0]] * len(feats), device=feats.device)  # the last one is not read
        while toks.shape[1] < limit and not bool((toks == end).any(1).all()):
            ended = (toks[:, :-1] == end).any(1)
            toks[:, -1] = self._decode(hidden, silent, toks)[:, -1].argmax(-1).masked_fill(ended, end)
            toks = torch.cat([toks, toks.new_zeros(len(toks), 1)], dim=1)
        return toks[:, :-1]


def generate(model: Any, batch: Any) -> Any:
    return model.greedy_decode(batch["feats"], batch["feat_lens"], tokenizer().eos_token_id)


def hybrid() -> dict[str, Any]:
    ids = tokenizer()
    return sequence_facts(Hybrid(len(ids)), collate, ids, generate, labels_of=lambda batch: batch["toks"])
