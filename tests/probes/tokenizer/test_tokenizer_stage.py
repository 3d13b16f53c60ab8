"""Tokenizer probes on plain values, on released families' habits, and on a head that a resize really loses."""

import copy
from types import SimpleNamespace

import pytest
import torch
from transformers import MT5ForConditionalGeneration

import diagnose
from probes.facts.core.types import TokenTable, TokenTables
from probes.facts.tokenizer.round_trip import what_was_lost
from probes.facts.tokenizer.types import SpecialTokens
from probes.healthy import healthy
from probes.tokenizer.special_token_ids_differ import special_token_ids_differ
from probes.tokenizer.special_tokens_collide import special_tokens_collide
from probes.tokenizer.tokenizer_does_not_match_model import tokenizer_does_not_match_model
from tests.support.hf_trainers import trainer_of
from trainer.models.tokenizers.whisper_and_t5 import build_whisper_tokenizer


@pytest.mark.parametrize(
    ("text", "back", "kind"),
    [
        ("Mẹ mua cá.", "Mẹ mua cá .", ""),
        ("mua ﬁsh", "mua fish", ""),  # a compatible form
        ("Mẹ mua", "mẹ mua", "case"),
        ("mẹ đi", "me di", "accents"),
        ("mẹ mua cá", "mẹmuacá", "spaces"),
        ("mẹ mua cá", "mẹ cá", "letters"),
    ],
)
def test_what_is_lost_on_the_way(text, back, kind):
    assert what_was_lost(text, back) == kind


@pytest.mark.parametrize(
    ("tokens", "rows", "alarm"),
    [(250_100, 250_112, False), (50_295, 51_200, False), (40, 64, False), (32_100, 250_112, True)],
)
def test_rows_that_are_rounded_up_are_no_other_model(tokens, rows, alarm):
    assert bool(list(tokenizer_does_not_match_model(tokens, TokenTables(TokenTable("shared", rows))))) is alarm


def test_one_of_several_end_tokens_is_enough_and_padding_may_differ():
    ends = {"tokenizer": (2,), "generation_config": (7, 2)}
    (finding,) = special_token_ids_differ(SpecialTokens(ends=ends, paddings={"tokenizer": 1, "model.config": 0}))
    assert finding.severity == "note" and finding.where == "model.config.pad_token_id"
    (finding,) = special_token_ids_differ(SpecialTokens(ends=ends | {"generation_config": (7,)}))
    assert finding.severity is None and "7 in generation_config and 2 in the tokenizer" in finding.message


def test_a_byte_level_tokenizer_may_share_the_id_of_its_unknown_token():
    shared = {"unknown": 0, "roles": {"pad": 0, "eos": 0}}
    assert not list(special_tokens_collide(SpecialTokens(**shared, says_unknown=False)))
    assert len(list(special_tokens_collide(SpecialTokens(**shared, says_unknown=True)))) == 1


def test_whisper_tokenizers_collide_with_nothing():
    facts = healthy("whisper") | {"tokenizer": build_whisper_tokenizer(["mẹ mua cá"], "characters")}
    report = diagnose.preflight(select=["TOK005"], model=facts["model"], tokenizer=facts["tokenizer"])
    assert [outcome.status for outcome in report.outcomes] == ["passed"]


def trained():
    """A tiny mT5 with a head of its own that knows one batch."""
    facts = healthy("mt5")
    model = facts["model"]
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    torch.nn.init.normal_(model.lm_head.weight, std=0.1)
    batch = next(iter(facts["eval_batches"]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
    model.eval()
    return facts, batch, float(model(**batch).loss.detach())


@pytest.mark.slow
def test_a_resize_that_drops_the_head_is_named_and_its_loss_tells(tmp_path):
    facts, batch, before = trained()
    given = {"train_batches": [batch], "tokenizer": facts["tokenizer"], "reference_loss": before}
    given["untied"] = ("lm_head*",)
    sound = diagnose.preflight(select=["TOK*"], model=facts["model"], **given)
    assert not sound.findings and before < 1.0
    facts["model"].save_pretrained(tmp_path)
    loaded = MT5ForConditionalGeneration.from_pretrained(tmp_path)
    kept = copy.deepcopy(loaded.lm_head.weight)
    loaded.resize_token_embeddings(len(facts["tokenizer"]) + 2)
    report = diagnose.preflight(select=["TOK*"], model=loaded, **given)
    (root,) = report.diagnosis
    assert root.probe == "TOK011" and [o.probe for o in root.consequences] == ["TOK012", "TOK015"]
    del given["untied"]  # without anybody's word: the released family has heads of its own
    (root,) = diagnose.preflight(select=["TOK011"], model=loaded, **given).diagnosis
    assert root.severity == "warning" and "mt5" in root.finding.message
    mended = torch.cat([kept.detach(), loaded.shared.weight[-2:].detach()])
    loaded.lm_head.weight = torch.nn.Parameter(mended)
    assert not diagnose.preflight(select=["TOK*"], model=loaded, **given).findings


def findings(probe, **facts):
    report = diagnose.preflight(select=[probe], **facts)
    return [finding for finding in report.findings if finding.severity != "note"]


class SaysNothing(torch.nn.Module):
    """As a CTC model of transformers: it has ids in its configuration and no generation."""

    config = SimpleNamespace(eos_token_id=2, pad_token_id=0)

    def __init__(self, generates=False):
        super().__init__()
        self.generates = generates

    def can_generate(self):
        return self.generates


def test_the_end_token_of_a_model_that_does_not_generate_is_not_compared():
    tokenizer = healthy("mt5")["tokenizer"]
    facts = {"tokenizer": tokenizer, "model": SaysNothing()}
    assert tokenizer.eos_token_id != 2 and not findings("TOK006", **facts)
    assert findings("TOK006", **facts | {"model": SaysNothing(generates=True)})


def test_a_trainer_sets_the_ids_of_its_tokenizer_before_it_trains(tmp_path):
    trainer = trainer_of(tmp_path, "mt5")
    trainer.model.config.eos_token_id = trainer.model.generation_config.eos_token_id = 5
    assert not findings("TOK006", trainer=trainer)
    trainer.processing_class = None
    assert findings("TOK006", trainer=trainer, tokenizer=healthy("mt5")["tokenizer"])
