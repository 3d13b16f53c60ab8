"""What people type leads to the right page: every phrase of the table, and phrases that are not in it."""

from pathlib import Path

import pytest

from diagnose.common.errors import InputError
from diagnose.engine import discovery
from diagnose.playbook_search import explain, phrases, playbooks

PHRASINGS = Path(__file__).with_name("phrasings.tsv")
PROBES = tuple(discovery.probes().items)
TEXTS = {book.name: book.text for book in playbooks()}
SYMPTOM_PAGES = {name for name, text in TEXTS.items() if "## In this order" in text}

HELD_OUT = {
    "my wer stays 100": "metric_is_at_its_worst",
    "BLEU always zero": "metric_is_at_its_worst",
    "rouge scores are all 0": "metric_is_at_its_worst",
    "validation loss is rising": "validation_gets_worse",
    "dev loss rises while train loss falls": "validation_gets_worse",
    "hallucinations": "model_hallucinates",
    "the model is hallucinating words": "model_hallucinates",
    "No module named 'torchaudio'": "import_fails",
    "import error": "import_fails",
    "slow train": "training_is_slow",
    "why is training so slow": "training_is_slow",
    "CUDA error: out of memory": "out_of_memory",
    "out of memeory": "out_of_memory",
    "nan in the loss": "loss_is_nan",
    "loss becomes NaN": "loss_is_nan",
    "loss isn't decreasing": "loss_is_stuck",
    "the loss doesn't decrease": "loss_is_stuck",
    "losss is zero": "loss_is_zero",
    "training loss zero": "loss_is_zero",
    "repeats the same word": "output_repeats_itself",
    "shapes mismatch": "shapes_do_not_match",
    "mismatched shapes": "shapes_do_not_match",
    "num items in batch": "accumulation_changes_gradient",
    "tensors shared": "model_cannot_be_saved",
    "softmax twice": "softmax_is_applied_twice",
    "BCE loss with logits": "logits_are_bounded",
    "broadcast bug": "loss_broadcasts_labels",
    "reduction is wrong": "loss_depends_on_batch_size",
    "tensor was detached": "loss_term_is_detached",
    "forgot to call model.eval": "evaluation_runs_in_train_mode",
    "leakage of data": "data_leaks_between_splits",
    "labels leak": "data_leaks_between_splits",
    "mismatched devices": "device_or_dtype_differs",
    "dtypes mismatch": "device_or_dtype_differs",
    "weights initialized badly": "weights_are_badly_scaled",
    "NaN with FP16": "fp16_is_unstable",
    "model is too simple": "model_is_too_small",
    "small batch size": "batch_size_is_too_small",
    "learning rate is too small": "learning_rate_is_too_low",
    "label misalignment": "labels_are_misaligned_with_inputs",
    "inplace operations": "backward_or_update_raises",
    "unintentionally shared weight": "weights_overlap_in_memory",
    "piece ids out of range": "metric_raises",
    "WER high although output correct": "metric_counts_case_and_punctuation",
    "exploding gradient": "gradients_explode",
    "vanishing gradient": "gradients_vanish",
    "loss ko giảm": "loss_is_stuck",
    "bị hết bộ nhớ gpu": "out_of_memory",
    "train rất chậm": "training_is_slow",
    "word error rate is 100 percent": "metric_is_at_its_worst",
    "bleu score zero": "metric_is_at_its_worst",
    "val loss increasing": "validation_gets_worse",
    "my model overfits": "validation_gets_worse",
    "hallucinated text": "model_hallucinates",
    "ImportError": "import_fails",
    "no modules named torchaudio": "import_fails",
    "training very slow": "training_is_slow",
    "memory is exhausted on cuda": "out_of_memory",
    "gpu out of memory": "out_of_memory",
    "NaN losses": "loss_is_nan",
    "gradient norm is nan": "loss_is_nan",
    "loss won't go down": "loss_is_stuck",
    "zero training loss": "loss_is_zero",
    "the output repeats itself": "output_repeats_itself",
    "tensor shape mismatches": "shapes_do_not_match",
    "sharing tensors": "model_cannot_be_saved",
    "two softmaxes": "softmax_is_applied_twice",
    "wrong loss reduction": "loss_depends_on_batch_size",
    "detached tensor": "loss_term_is_detached",
    "leaking data": "data_leaks_between_splits",
    "bad initialization of weights": "weights_are_badly_scaled",
    "batch sizes too small": "batch_size_is_too_small",
    "learning rate is low": "learning_rate_is_too_low",
    "inputs and labels misaligned": "labels_are_misaligned_with_inputs",
    "in place operations": "backward_or_update_raises",
    "correct output but high wer": "metric_counts_case_and_punctuation",
    "gradiant explosion": "gradients_explode",
    "loss khong giam": "loss_is_stuck",
}


def first_page(query: str) -> str:
    """The name of the page that is shown: pages of probes get a heading of their own."""
    shown = explain(query, PROBES).markdown
    return next(name for name, text in TEXTS.items() if shown == text)


@pytest.mark.parametrize(("phrase", "page"), phrases().items())
def test_a_phrase_of_the_table_leads_to_its_page(phrase, page):
    assert first_page(phrase) == page


@pytest.mark.parametrize(("phrase", "page"), HELD_OUT.items())
def test_a_phrase_that_is_not_in_the_table_leads_to_the_same_page(phrase, page):
    assert first_page(phrase) == page


def test_nine_of_ten_other_phrasings_lead_to_their_page_and_nearly_all_show_it():
    """Errors as torch prints them and questions as people ask them, each with the pages that answer it."""
    rows = [line.split("\t") for line in PHRASINGS.read_text("utf-8").splitlines()]
    assert len(rows) >= 150 and not {query.lower() for query, _ in rows} & {phrase.lower() for phrase in phrases()}
    names = {probe.id: probe.name for probe in PROBES}
    first = shown = 0
    for query, pages in rows:
        found = explain(query, PROBES)
        top = next(name for name, text in TEXTS.items() if found.markdown == text)
        also = {names.get(command.split()[2], command.split()[2]) for command in found.also}
        first += top in pages.split()
        shown += bool({top, *also} & set(pages.split()))
    print(f"\n{first} of {len(rows)} first, {shown} shown")
    assert first >= 0.9 * len(rows) and shown >= 0.95 * len(rows)


def test_the_table_has_sixty_phrases_and_no_held_out_one():
    assert len(phrases()) >= 60 and len(HELD_OUT) >= 20
    assert not {phrase.lower() for phrase in HELD_OUT} & {phrase.lower() for phrase in phrases()}
    assert set(phrases().values()) <= set(TEXTS)
    assert set(phrases().values()) >= SYMPTOM_PAGES


def test_advice_leaves_out_the_examples_that_a_test_executes():
    found = explain("LAB002", PROBES)
    assert "## Broken" in found.markdown and "## Fixed" in found.markdown
    sections = [line for line in found.advice.splitlines() if line.startswith("## ")]
    assert sections == ["## Symptom", "## Why", "## Fix", "## In your code", "## If it comes back"]
    assert "probes.healthy" not in found.advice and "masked_fill" in found.advice


@pytest.mark.parametrize("query", ["qwertyuiop zxcvbnm", "how to bake bread", "xyz"])
def test_what_matches_no_page_is_refused(query):
    with pytest.raises(InputError, match="no playbook describes"):
        explain(query, PROBES)
