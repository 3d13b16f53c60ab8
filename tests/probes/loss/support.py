"""The loss stage on facts, and a trainer of transformers around a healthy subject."""

from transformers import Seq2SeqTrainer

import diagnose
from diagnose import Severity
from probes.healthy import healthy
from tests.support.hf_trainers import arguments

SOUND = ("whisper", "e2e", "mt5")


def looked(facts):
    return diagnose.preflight(select=["LOS*"], **facts)


def alarms(facts):
    return [(f.probe, f.severity) for f in looked(facts).findings if f.severity is not Severity.NOTE]


def stock(folder, name="whisper", steps=4, kwargs=True, **more):
    facts = healthy(name)
    if not kwargs:
        facts["model"].accepts_loss_kwargs = False
    return Seq2SeqTrainer(
        model=facts["model"],
        args=arguments(folder, gradient_accumulation_steps=steps, **more),
        train_dataset=facts["train_dataset"],
        data_collator=facts["collate"],
        processing_class=facts["tokenizer"],
    )
