"""The CTC pieces: vocabulary, head, loss."""

import math
import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from diagnose.common.errors import InputError
from trainer.models.ctc import (
    BLANK,
    UNKNOWN,
    CharacterVocabulary,
    CTCHead,
    ctc_labels,
    ctc_loss,
    joint_loss,
    token_loss,
)

TEXTS = ["Xin chào các bạn", "deadline của team mình", "ơ ư đ ặ ỹ"]
VOCABULARY = CharacterVocabulary.build(TEXTS)


def batch(rows: int = 4, frames: int = 30, symbols: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return torch.randn(rows, frames, symbols, generator=generator), torch.tensor([30, 21, 9, 25])[:rows]


@given(st.sampled_from(TEXTS), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_any_unicode_form_gives_the_same_ids(text: str, form: str) -> None:
    ids = VOCABULARY.encode(unicodedata.normalize(form, text))
    assert UNKNOWN not in ids and BLANK not in ids
    assert VOCABULARY.decode(ids) == text


def test_unseen_characters_are_unknown_and_silent() -> None:
    assert VOCABULARY.encode("xin 漢") == [*VOCABULARY.encode("xin "[:3] + " c")[:4], UNKNOWN]
    assert VOCABULARY.decode([BLANK, UNKNOWN, -100, 10_000]) == ""


def test_building_does_not_depend_on_the_order_of_texts() -> None:
    assert CharacterVocabulary.build(TEXTS[::-1]).characters == VOCABULARY.characters


def test_saved_and_loaded(tmp_path) -> None:
    VOCABULARY.save(tmp_path)
    assert CharacterVocabulary.load(tmp_path).characters == VOCABULARY.characters


@pytest.mark.parametrize("content", [None, "not json", "{}", "[1]"])
def test_unreadable_vocabulary_is_told_with_its_path(tmp_path, content) -> None:
    if content is not None:
        (tmp_path / "ctc_vocabulary.json").write_text(content)
    with pytest.raises(InputError, match=r"ctc_vocabulary\.json: no readable CTC vocabulary"):
        CharacterVocabulary.load(tmp_path)


def test_labels_leave_rows_without_text_unscored() -> None:
    labels = ctc_labels(VOCABULARY, ["team", None, " ", "các bạn"])
    assert (labels != -100).sum(dim=1).tolist() == [4, 0, 0, 7]
    assert VOCABULARY.decode(labels[3].tolist()) == "các bạn"


def test_loss_is_the_mean_over_rows_of_each_rows_loss_per_symbol() -> None:
    logits, lengths = batch()
    labels = torch.tensor([[3, 3, 5, 7], [2, -100, -100, -100], [-100] * 4, [8, 4, -100, -100]])
    single = [ctc_loss(logits[i : i + 1, : lengths[i]], lengths[i : i + 1], labels[i : i + 1]) for i in (0, 1, 3)]
    torch.testing.assert_close(ctc_loss(logits, lengths, labels), torch.stack(single).mean())


def test_loss_of_one_symbol_in_one_frame_is_its_log_probability() -> None:
    logits = torch.tensor([[[0.0, math.log(3.0)]]])
    assert ctc_loss(logits, torch.tensor([1]), torch.tensor([[1]])).item() == pytest.approx(-math.log(0.75))


def test_loss_is_the_one_torch_calls_mean_when_every_row_has_a_target() -> None:
    logits, lengths = batch()
    labels = torch.tensor([[3, 3, 5, 7], [2, -100, -100, -100], [6, 1, -100, -100], [8, 4, 2, -100]])
    log_probs = logits.log_softmax(-1).transpose(0, 1)
    counts = torch.tensor([4, 1, 2, 3])
    expected = torch.nn.functional.ctc_loss(log_probs, labels.clamp(min=0), lengths, counts, reduction="mean")
    torch.testing.assert_close(ctc_loss(logits, lengths, labels), expected)


def test_frames_behind_the_end_do_not_count() -> None:
    logits, lengths = batch()
    labels = torch.tensor([[3, 5], [2, -100], [1, 6], [8, 4]])
    noisy = logits.clone()
    noisy[1, 21:] = 100 * torch.randn(9, 9)
    torch.testing.assert_close(ctc_loss(noisy, lengths, labels), ctc_loss(logits, lengths, labels))


@pytest.mark.parametrize("width", [0, 1, 3])
def test_a_batch_without_targets_costs_nothing_and_still_has_a_gradient(width: int) -> None:
    logits, lengths = batch()
    logits.requires_grad_()
    loss = ctc_loss(logits, lengths, torch.full((4, width), -100))
    loss.backward()
    assert loss.item() == 0.0 and logits.grad is not None and not logits.grad.any()


def test_a_row_that_cannot_be_aligned_neither_adds_infinity_nor_spoils_gradients() -> None:
    logits, lengths = batch(rows=2)
    logits.requires_grad_()
    labels = torch.tensor([[4] * 20, [3, 5, *[-100] * 18]])  # 20 symbols and 19 repeats need 39 frames, there are 30
    loss = ctc_loss(logits, lengths, labels)
    loss.backward()
    alone = ctc_loss(logits[1:], lengths[1:], labels[1:])
    torch.testing.assert_close(loss, alone / 2)
    assert logits.grad.isfinite().all()


def test_head_and_loss_can_be_learnt() -> None:
    torch.manual_seed(0)
    frames, lengths = torch.randn(3, 20, 8), torch.tensor([20, 14, 9])
    head = CTCHead(8, len(VOCABULARY))
    labels = ctc_labels(VOCABULARY, ["bạn", None, "team"])
    layer = torch.nn.GRU(8, 8, batch_first=True)
    optimizer = torch.optim.Adam([*head.parameters(), *layer.parameters()], lr=0.03)
    losses = []
    for _ in range(120):
        loss = ctc_loss(head(layer(frames)[0]), lengths, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]


def test_token_loss_weighs_tokens_and_joint_loss_the_parts() -> None:
    logits = torch.randn(2, 3, 5)
    labels = torch.tensor([[1, 2, 4], [3, -100, -100]])
    each = -logits.log_softmax(-1)
    expected = (each[0, 0, 1] + each[0, 1, 2] + each[0, 2, 4] + each[1, 0, 3]) / 4
    att = token_loss(logits, labels)
    torch.testing.assert_close(att, expected)
    torch.testing.assert_close(joint_loss(att, torch.tensor(2.0), 0.25), 0.5 + 0.75 * expected)
    assert joint_loss(att, None, 0.0) is att
