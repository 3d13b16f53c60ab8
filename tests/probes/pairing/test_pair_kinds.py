"""Tags of tokens, texts made of texts: wrong pairs are told with the power of the test, weak ones are left alone."""

import random

import numpy as np
import pytest

import diagnose
from diagnose import Severity
from probes.facts.pairing.held_out_test import run_pair_tests
from probes.facts.pairing.read_pairs import TargetKind
from probes.facts.pairing.types import PairTests
from tests.support.pair_runs import TASKS

SEEDS = range(3)  # `make bench WHAT=pairs` takes ten


def told(inputs, targets):
    """By LRN030 and LRN031, of rows that are vectors."""
    stretches = [row * 4 // len(inputs) for row in range(len(inputs))]
    found = run_pair_tests(TargetKind(inputs, targets), stretches, range(len(inputs)), "train_dataset")
    return [*diagnose.preflight(select=["LRN030", "LRN031"], pair_tests=PairTests(tuple(found))).findings]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("task", ["tagger", "summaries"])
def test_shuffled_tags_and_texts_are_told_without_the_model(task, seed):
    facts = {name: value for name, value in TASKS[task](seed, True).items() if name != "model"}
    found = [one for one in diagnose.preflight(select=["LRN03*"], **facts).findings if one.severity != Severity.NOTE]
    assert {one.probe for one in found} <= {"LRN030", "LRN031"} and found
    told_by = " ".join(one.message for one in found)
    assert "would have been seen" in told_by or "rare words occur in target and input" in told_by


@pytest.mark.parametrize("task", ["tagger", "summaries", "speech"])
def test_right_tags_texts_and_speech_are_left_alone(task):
    facts = {name: value for name, value in TASKS[task](0, False).items() if name != "model"}
    assert not diagnose.preflight(select=["LRN03*"], **facts).findings


def weak(seed, rows, share):
    """One number, of which the inputs explain so much."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(rows, 8))
    return inputs, share**0.5 * inputs[:, :1] + (1 - share) ** 0.5 * rng.normal(size=(rows, 1))


@pytest.mark.parametrize("seed", range(10))
def test_a_weak_relation_is_seen_or_noted_and_the_note_says_what_would_have_been(seed):
    assert not told(*weak(seed, 400, 0.2))
    for one in told(*weak(seed, 400, 0.0)):
        assert one.severity is Severity.NOTE and 0.02 <= one.measured["power"] <= 0.2
        assert f"decides {one.measured['power']:.0%} of the targets would have been seen" in one.message


def test_the_chance_of_unrelated_rows_is_what_it_says():
    """Each permutation is learned anew: z of unrelated rows has a deviation of 1."""
    scores = []
    for seed in range(40):
        inputs, targets = weak(seed, 120, 0.0)
        scores.append(next(run_pair_tests(TargetKind(inputs, targets), [0] * 120, range(120), "rows")).z_score)
    assert abs(np.mean(scores)) < 0.6 and 0.7 < np.std(scores) < 1.3


def test_verbalized_classes_share_no_words_with_their_texts_and_are_no_error():
    draw, words = random.Random(0), [f"w{number}" for number in range(300)]
    rows = [
        {"document": " ".join(draw.choices(words, k=30)), "summary": draw.choice(["good", "bad"])} for _ in range(90)
    ]
    report = diagnose.preflight(select=["DAT040"], train_rows=rows)
    assert not report.of(Severity.ERROR)


def test_summaries_of_other_documents_are_an_error_where_rare_words_would_show_it():
    draw, words = random.Random(0), [f"w{number}" for number in range(60)]
    documents = [draw.choices(words, k=10) for _ in range(150)]
    rows = [{"document": " ".join(text), "summary": " ".join(draw.sample(text, 6))} for text in documents]
    assert not diagnose.preflight(select=["DAT040"], train_rows=rows).findings
    summaries = [row["summary"] for row in rows]
    draw.shuffle(summaries)
    wrong = [{**row, "summary": text} for row, text in zip(rows, summaries, strict=True)]
    (found,) = diagnose.preflight(select=["DAT040"], train_rows=wrong).findings
    assert found.severity is Severity.ERROR and "rare words occur in target and input of the same row" in found.message
