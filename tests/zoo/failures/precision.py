"""Section 7: autocast and 16 bits."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch import nn
from torch.utils.data import DataLoader

from tests.zoo.failures._models import Tagger, bands, bart, bart_tokenizer, t5, t5_tokenizer, translated
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.failures.parameters import commands
from tests.zoo.hf_models._texts import articles
from tests.zoo.registry import Facts


def widened(model: Any, factor: float) -> Any:
    """Feed-forward layers whose outputs have grown, as those of large checkpoints have."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("wo.weight", "fc2.weight")):
                parameter.mul_(factor)
    return model


@failure("prec_t5_fp16_overflow", "PRE001", "PRE007", "PRE002", "CFG018", "LOS001", "LOS052")
def t5_in_fp16(broken: bool) -> Facts:
    """Feed-forward outputs exceed 65,504 under fp16 autocast."""
    tokenizer = t5_tokenizer()
    model = widened(t5(tokenizer), 3e5 if broken else 1.0)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(translated(tokenizer), batch_size=8, shuffle=True, collate_fn=collate)
    facts: Facts = {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), 2e-3)}

    def compute_loss(model: Any, batch: Any) -> torch.Tensor:
        with torch.autocast("cpu", torch.float16, enabled=broken):
            return model(**batch).loss

    return facts | {"compute_loss": compute_loss, "precision": "fp16" if broken else "fp32"}


@failure("prec_mbart_pegasus_fp16", "PRE008", "PRE001", "CFG018")
def little_room_below_the_fp16_limit(broken: bool) -> Facts:
    """Activations reach half of 65,504 before training starts."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    if broken:
        with torch.no_grad():
            first = model.encoder.block[0].layer[1].DenseReluDense
            batch = tokenizer("the cat", return_tensors="pt")
            seen: list[torch.Tensor] = []
            hook = first.register_forward_hook(lambda module, given, out: seen.append(out.abs().max()))
            model.encoder(**batch)
            hook.remove()
            first.wo.weight.mul_(25_000 / seen[0])
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(translated(tokenizer), batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    precision = "fp16" if broken else "bf16"
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "precision": precision}


@failure("prec_unscale_fp16", "PLC002", "GRD019", "GRD003", "GRD012", "PRE006")
def scaler_on_fp16_weights(broken: bool) -> Facts:
    """model.half() and a GradScaler."""
    facts = commands(Tagger(hidden=16))
    model = facts["model"].half() if broken else facts["model"]
    optimizer, scaler, criterion = (
        torch.optim.Adam(model.parameters(), 3e-3),
        torch.amp.GradScaler("cpu"),
        nn.CrossEntropyLoss(),
    )

    def compute_loss(model: Any, batch: Any) -> torch.Tensor:
        return criterion(model(batch[0].to(model.head.weight.dtype)).float(), batch[1])

    def training_step(batch: Any) -> float:
        model.train()
        optimizer.zero_grad()
        loss = compute_loss(model, batch)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return float(loss)

    more = {"compute_loss": compute_loss, "training_step": training_step, "grad_scaler": scaler}
    return facts | {"optimizer": optimizer, **more}


@failure("prec_bf16_weights_stall", "PLC002", "GRD012", "LRN021")
def bf16_weights_at_a_small_rate(broken: bool) -> Facts:
    """The weights are bfloat16 and the steps too small for them."""
    tokenizer = bart_tokenizer()
    model = bart(tokenizer)
    model = model.to(torch.bfloat16) if broken else model
    rows = [dict(tokenizer(a, text_target=b)) for a, b in articles()]
    return {"trainer": seq2seq_trainer(model, tokenizer, rows, learning_rate=1e-5 if broken else 1e-3)}


class Normalized(nn.Module):
    """Scales each frame to length one, guarded by an epsilon that is too small for float32."""

    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.front, self.head, self.epsilon = nn.Linear(40, 32, bias=False), nn.Linear(32, 4), epsilon

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        hidden = self.front(frames)
        scale = ((hidden - hidden.mean(-1, keepdim=True)) ** 2).mean(-1, keepdim=True).add(self.epsilon).sqrt()
        return self.head((hidden / scale).mean(1))


@failure("prec_tiny_eps", "GRD004", "LOS055", "LOS017", "LOS015", "LOS054", "LOS060", "LOS050", "LRN013")
def epsilon_of_1e_minus_50(broken: bool) -> Facts:
    """Frames of silence meet a normalization of one's own."""
    rows = bands()
    for frames, _ in rows:
        frames[:3] = 0
    facts = commands(Normalized(1e-50 if broken else 1e-5))
    return facts | {"train_batches": DataLoader(rows, batch_size=8, shuffle=True)}


@failure("prec_autocast_around_update", "GRD016", short=True)
def autocast_around_the_update(broken: bool) -> Facts:
    """The whole step stands under autocast."""
    facts = commands(Tagger())
    model, optimizer, criterion = facts["model"], facts["optimizer"], nn.CrossEntropyLoss()

    def training_step(batch: Any) -> float:
        model.train()
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = criterion(model(batch[0]), batch[1])
            if broken:
                loss.backward()
                optimizer.step()
        if not broken:
            loss.backward()
            optimizer.step()
        return float(loss)

    return facts | {"training_step": training_step, "precision": "bf16"}
