"""Do texts belong to their rows? Right pairs are never called wrong, wrong ones are named from 120 rows on."""

import random

import pytest

import diagnose
from diagnose import Status


def rows(count, seed, noise=0.25):
    """Durations that follow the length of the text, as loosely as in the demo (a rank correlation of 0.8)."""
    chance = random.Random(seed)
    texts = ["".join(chance.choices("abcde ", k=chance.randint(15, 60))) for _ in range(count)]
    return [{"transcript": t, "duration": len(t) / 15 * chance.lognormvariate(0, noise)} for t in texts]


def judged(given):
    (outcome,) = diagnose.preflight(select=["DAT040"], train_rows=given).outcomes
    return outcome


def dealt(given, texts):
    return [{**row, "transcript": text} for row, text in zip(given, texts, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("count", [50, 120, 600])
def test_right_pairs_pass_over_ten_seeds(count):
    assert {judged(rows(count, seed)).status for seed in range(10)} == {Status.PASSED}


@pytest.mark.slow
@pytest.mark.parametrize("count", [120, 600])
def test_shuffled_texts_are_found_over_ten_seeds(count):
    for seed in range(10):
        given = rows(count, seed)
        texts = [row["transcript"] for row in given]
        random.Random(seed).shuffle(texts)
        assert judged(dealt(given, texts)).status is Status.FOUND, seed


def test_a_text_that_slipped_is_named_with_the_shift_and_the_stretch():
    given = rows(1000, 0)
    texts = [row["transcript"] for row in given]
    outcome = judged(dealt(given, [*texts[:400], *texts[401:], texts[400]]))
    assert outcome.status is Status.FOUND and all("shifted by -1 rows" in f.message for f in outcome.findings)
    assert any(f.where == "train row 500 to train row 749" for f in outcome.findings)


def test_too_few_rows_or_durations_that_hardly_vary_are_skipped():
    assert judged(rows(49, 0)).status is Status.SKIPPED
    even = [{**row, "duration": 30.0} for row in rows(200, 0)]
    outcome = judged(even)
    assert outcome.status is Status.SKIPPED and "almost constant" in outcome.reason


def test_rows_sorted_by_length_are_no_slip():
    given = sorted(rows(600, 1), key=lambda row: row["duration"])
    assert judged(given).status is Status.PASSED


def test_summaries_of_other_documents_are_found():
    chance = random.Random(0)
    words = [f"word{n}" for n in range(400)]
    documents = [chance.choices(words, k=30) for _ in range(100)]
    right = [{"document": " ".join(text), "summary": " ".join(chance.sample(text, 5))} for text in documents]
    assert judged(right).status is Status.PASSED
    summaries = [row["summary"] for row in right]
    wrong = [{**row, "summary": text} for row, text in zip(right, summaries[7:] + summaries[:7], strict=True)]
    assert judged(wrong).status is Status.FOUND
