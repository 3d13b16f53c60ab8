"""Trained weights with a tokenizer of the same size and other ids are told; fine-tunes with new tables are not."""

import copy
from functools import cache
from itertools import chain, islice, repeat

import pytest
import torch
from transformers import AutoTokenizer, MT5ForConditionalGeneration

import diagnose
from probes.facts.tokenizer.types import RenumberedIds
from probes.faults.kit.forward_changes import usual_loss
from probes.faults.kit.tokenizer_changes import renumbered, with_tokenizer
from probes.healthy import healthy
from probes.tokenizer.token_ids_are_unknown_to_weights import token_ids_are_unknown_to_weights
from tests.support.pair_runs import speech

STEPS = 150


@cache
def trained_weights():
    """A hybrid after some updates on 240 sentences: it does not know them by heart."""
    facts = speech(0, shuffled=False)
    model, loss = facts["model"].train(), usual_loss(facts)
    torch.manual_seed(0)
    for batch in islice(chain.from_iterable(repeat(facts["train_batches"])), STEPS):
        facts["optimizer"].zero_grad()
        loss(model, batch).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        facts["optimizer"].step()
    return copy.deepcopy(model.state_dict())


def trained(seed=0):
    facts = speech(seed, shuffled=False)
    facts["model"].load_state_dict(trained_weights())
    return facts


def told(facts):
    return [finding.probe for finding in diagnose.preflight(select=["TOK014", "TOK015"], **facts).findings]


def test_weights_are_told_from_ids_that_mean_other_tokens():
    facts = trained()
    assert not told(facts)
    assert told(with_tokenizer(facts, renumbered(facts["tokenizer"]))) == ["TOK015"]


@pytest.mark.parametrize("name", ["output", "embedding"])
def test_a_new_random_table_is_left_alone(name):
    facts = trained()
    tables = [m for m in facts["model"].modules() if isinstance(m, torch.nn.Linear | torch.nn.Embedding)]
    rows = len(facts["tokenizer"])
    for table in tables:
        if table.weight.shape[0] == rows and isinstance(table, torch.nn.Embedding) == (name == "embedding"):
            table.reset_parameters()
    assert not told(facts)


@pytest.mark.parametrize("seed", [1, 2])
def test_sentences_that_the_weights_never_saw_are_left_alone(seed):
    assert not told(trained(seed))


def test_only_a_loss_above_chance_that_no_id_changes_is_told():
    def judged(own, other, deviation=0.2):
        return bool(list(token_ids_are_unknown_to_weights(RenumberedIds(own, other, deviation, 320))))

    assert judged(9.3, 9.2) and not judged(8.0, 9.2)  # ids that fit
    assert not judged(5.8, 5.77, 0.01)  # a new head: ln 320 = 5.77


@pytest.fixture
def checkpoint(tmp_path):
    """An mT5 whose norms have moved, with its tokenizer in the same directory."""
    facts = healthy("mt5")
    for name, weight in facts["model"].named_parameters():
        if "norm" in name:
            weight.data += 0.01 * torch.randn_like(weight)
    facts["model"].save_pretrained(tmp_path)
    facts["tokenizer"].save_pretrained(tmp_path)
    return {**facts, "model": MT5ForConditionalGeneration.from_pretrained(tmp_path)}


def test_the_tokenizer_of_the_checkpoint_is_compared_with_the_run_s(checkpoint):
    assert not told(checkpoint)
    (found,) = diagnose.preflight(
        select=["TOK014"], **with_tokenizer(checkpoint, renumbered(checkpoint["tokenizer"]))
    ).findings
    assert "of 320 tokens have the id that the tokenizer in" in found.message


def test_added_tokens_and_tables_that_are_new_on_purpose_are_left_alone(checkpoint):
    model = checkpoint["model"]
    tokenizer = AutoTokenizer.from_pretrained(model.config._name_or_path)
    tokenizer.add_tokens(["<vi>", "<en>"])
    model.resize_token_embeddings(len(tokenizer))
    assert not told(with_tokenizer(checkpoint, tokenizer))
    fresh = with_tokenizer(checkpoint, renumbered(checkpoint["tokenizer"])) | {"fresh": ["*shared*", "*lm_head*"]}
    assert not told(fresh)
