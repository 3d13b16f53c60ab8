"""Figures against values worked out by hand."""

import pytest

from trainer.config import Config
from trainer.evaluation.metrics import LABELS, Score, bleu, cer, chrf, rouge, scores_of_task, wer

TALK = ["hôm nay mình review cái report này", "ngày mai họp với khách hàng ở văn phòng"]


def test_word_errors_are_counted_over_all_reference_words():
    score = wer(["một hai ba bốn", "năm sáu"], ["một hai ba", "năm sáu bảy"])
    assert score.value == pytest.approx(100 * 2 / 6)
    assert score.rows == 2
    assert "jiwer" in score.signature


def test_character_errors():
    assert cer(["abcd"], ["abxd"]).value == pytest.approx(25)


def test_case_and_punctuation_do_not_count():
    assert wer(["Xin chào, các bạn!"], ["xin chào các bạn"]).value == 0


def test_tone_marks_do_count():
    assert wer(["má"], ["mà"]).value == 100
    assert rouge(["má"], ["mà"])[0].value == 0


def test_words_invented_in_silence_count_as_errors():
    assert wer(["", "một hai"], ["ba", "một hai"]).value == pytest.approx(50)


def test_an_empty_prediction_is_all_deletions():
    assert wer(["một hai"], [""]).value == 100
    assert bleu(["một hai ba bốn"], [""]).value == 0
    assert chrf(["một hai"], [""]).value == 0
    assert rouge(["một hai"], [""])[0].value == 0


def test_one_character_lines_are_rows_like_any_other():
    assert wer(["a", "b"], ["a", "c"]).value == 50
    assert cer(["à", "b"], ["à", "c"]).value == 50


def test_without_a_reference_word_nothing_is_measured():
    assert wer([""], [""]).value is None
    assert wer([], []).value is None
    assert bleu([], []).value is None
    assert rouge([], [])[0].value is None


def test_perfect_translations_score_100():
    assert bleu(TALK, TALK).value == pytest.approx(100)
    assert chrf(TALK, TALK).value == pytest.approx(100)


def test_corpus_scores_carry_sacrebleus_signature():
    assert bleu(TALK, TALK).signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert "nc:6" in chrf(TALK, TALK).signature


def test_rouge_of_a_known_pair():
    one, two, longest = rouge(["a b c d"], ["a c b d"])
    assert (one.value, two.value, longest.value) == (100, 0, 75)


def test_rouge_of_exact_short_and_empty_rows_is_full():
    assert [score.value for score in rouge(["đi", ""], ["đi", ""])] == [100, 100, 100]


def test_targets_and_whether_they_are_met():
    targets = Config().evaluation.targets
    assert (targets.wer, targets.chrf, targets.rougeL) == (15, 50, None)
    assert Score("wer", 14.9, 1, "", 15.0).met is True and Score("wer", 14.9, 1, "", 15.0).target == "< 15"
    assert Score("wer", 15.0, 1, "", 15.0).met is False
    assert Score("bleu", 25.0, 1, "", 25.0).met is False and Score("bleu", 25.1, 1, "", 25.0).met is True
    assert Score("bleu", None, 0, "", 25.0).met is None
    assert Score("rougeL", 99.0, 1, "").target is None


@pytest.mark.parametrize(
    ("task", "names"),
    [("transcribe", ["wer", "cer"]), ("translate", ["bleu", "chrf"]), ("summarize", ["rouge1", "rouge2", "rougeL"])],
)
def test_each_task_has_its_metrics(task, names):
    scores = scores_of_task(task, TALK, TALK)
    assert [score.name for score in scores] == names
    assert all(score.label == LABELS[score.name] for score in scores)
