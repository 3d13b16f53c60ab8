"""Trains the small instructable TTS. --broken puts one of its four root causes in."""

import argparse

import torch
from model import CODES, TEXT, WORDS, InstructTTS
from torch.utils.data import DataLoader

import diagnose

ROOT_CAUSES = {
    "fp16": "T5 and the attention over it run in fp16: their values overflow",
    "freezing": "the adapter is frozen together with the backbone around it",
    "device": "the instruction encoder is on another device than the rest (without a GPU: meta)",
    "masked_labels": "the prompt that is masked in the labels is as long as some targets",
}
parser = argparse.ArgumentParser()
parser.add_argument("--broken", choices=ROOT_CAUSES, default="")
BROKEN = parser.parse_args().broken

DEVICE, OTHER = ("cuda", "cpu") if torch.cuda.is_available() else ("cpu", "meta")


def rows(count: int) -> list[dict]:
    """The code of each token is the token plus a style, which the first word of the instruction names."""
    found = []
    for _ in range(count):
        text = torch.randint(0, TEXT, (int(torch.randint(4, 9, ())),))
        instruction = torch.randint(1, WORDS, (int(torch.randint(2, 6, ())),))
        found.append({"text": text, "instruction": instruction, "codes": (text + instruction[0] % 4) % CODES})
    return found


def collate(items: list[dict]) -> dict:
    pad = torch.nn.utils.rnn.pad_sequence
    text, instruction = (pad([item[name] for item in items], True) for name in ("text", "instruction"))
    labels = pad([item["codes"] for item in items], True, -100)
    labels[:, : 8 if BROKEN == "masked_labels" else 1] = -100  # the prompt is spoken already
    return {"text": text, "instruction": instruction, "instruction_mask": (instruction != 0).long(), "labels": labels}


torch.manual_seed(0)
model = InstructTTS(force_fp32=BROKEN != "fp16").to(DEVICE)
if BROKEN == "device":
    model.instruction.to(OTHER)
with torch.no_grad():  # as in the pretrained T5, in which some values pass 65,504, the largest of fp16
    for block in model.instruction.t5.encoder.block:
        block.layer[1].layer_norm.weight *= 1e5

frozen = model.backbone if BROKEN == "freezing" else model.backbone.pretrained_part
for parameter in (*model.instruction.t5.parameters(), *frozen.parameters()):
    parameter.requires_grad = False
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-3)
loader = DataLoader(rows(512), batch_size=16, shuffle=True, collate_fn=collate)


def compute_loss(model: InstructTTS, batch: dict) -> torch.Tensor:
    moved = {name: tensor.to(DEVICE) for name, tensor in batch.items()}
    with torch.autocast(DEVICE, dtype=torch.float16, enabled=BROKEN == "fp16"):
        return model(**moved)["loss"]


facts = {"compute_loss": compute_loss, "precision": "fp16" if BROKEN == "fp16" else "fp32", "trainable": ["*adapter*"]}
report = diagnose.preflight(model=model, optimizer=optimizer, train_batches=loader, **facts)
report.require()

for step, batch in zip(range(60), loader, strict=False):
    loss = compute_loss(model, batch)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
