"""Label probes on plain values, and on models and collators that only look ill."""

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, Wav2Vec2Config, Wav2Vec2ForCTC

import diagnose
from probes.facts.collation.label_text_match import TokenizerView, targets_of
from probes.facts.collation.types import CollatedSample, DatasetItem
from probes.facts.core.types import SpecialIds
from probes.facts.labels.label_rows import endings_of, ignored_ids, padding_length
from probes.facts.labels.label_shift import measure_label_shift
from probes.facts.labels.prefix_types import language_of, task_of
from probes.facts.labels.types import CtcRow, LabelRow
from probes.faults.kit.changes import with_labels
from probes.healthy import healthy
from probes.labels.ctc_target_is_too_long import ctc_target_is_too_long
from probes.labels.label_padding_id_is_wrong import label_padding_id_is_wrong
from probes.labels.target_is_truncated import target_is_truncated
from trainer.collate.labels import pad_labels
from trainer.collate.task_tokens import label_rows
from trainer.models.tokenizers.hybrid_and_mbart import hybrid_tokenizer

SPECIAL = SpecialIds(padding=(0,), end=1, ends=(1,))


def rows(*lines, batch=0):
    return tuple(
        LabelRow(f"batch {batch}, row {n}", batch, len(ids), sum(i >= 0 for i in ids), ids=ids)
        for n, ids in enumerate(lines)
    )


def test_a_masked_end_is_told_from_one_that_was_never_there():
    masked = endings_of(rows((5, 6, 7, -100), (5, -100, -100, -100)), SPECIAL)
    missing = endings_of(rows((5, 6, 7), (5, -100, -100)), SPECIAL)
    assert masked.all and masked.masked and missing.all and not missing.masked
    assert not endings_of(rows((5, 6, 1), (5, 1, -100)), SPECIAL).without


def test_a_row_as_long_as_the_longest_was_perhaps_cut_and_need_not_end():
    found = endings_of(rows((5, 6, 7, 8), (5, 6, 1, -100), (5, 6, -100, -100)), SPECIAL)
    assert [row.where for row in found.cut] == ["batch 0, row 0"]
    assert [row.where for row in found.without] == ["batch 0, row 2"]


def test_one_token_behind_the_end_may_be_a_language():
    assert not list(label_padding_id_is_wrong(rows((5, 6, 1, 9), (5, 1, 9, -100)), SPECIAL))
    (finding,) = label_padding_id_is_wrong(rows((5, 6, 7, 1), (5, 1, 9, 9)), SPECIAL)
    assert finding.where == "batch 0, row 1" and "2 scored labels with id 9" in finding.message


@pytest.mark.parametrize(
    ("given", "wanted", "ahead"),
    [
        ([[0, 5, 6, 7]], [[5, 6, 7, 1]], 1),  # an encoder-decoder: the start token, then the labels
        ([[5, 6, 7, 1]], [[6, 7, 1, -100]], 1),  # a language model reads the labels and is asked for the next one
        ([[5, 6, 7, 1]], [[5, 6, 7, 1]], 0),
        ([[0, 5, 6, 7]], [[6, 7, 1, -100]], 2),
        ([[3, 3, 3, 3]], [[5, 6, 7, 1]], None),
    ],
)
def test_how_far_the_decoder_is_asked_ahead(given, wanted, ahead):
    assert measure_label_shift([[5, 6, 7, 1]], given, wanted).label_offset == ahead


def test_repeats_need_a_frame_of_their_own():
    assert not list(ctc_target_is_too_long((CtcRow("a", symbols=8, repeats=2, frames=10),)))
    (finding,) = ctc_target_is_too_long((CtcRow("a", symbols=8, repeats=2, frames=9),))
    assert "8 symbols and 2 repeats need 10 frames, the encoder outputs 9" in finding.message


def letters(text, side="text_target"):
    return [*map(ord, text), 1]


def collated(*pairs):
    items = tuple(DatasetItem(f"row {n}", {"summary": text}) for n, (text, _) in enumerate(pairs))
    return targets_of(
        CollatedSample(items, tuple(tuple(ids) for _, ids in pairs)), TokenizerView(letters, {1: "</s>"}, (1,))
    )


def test_labels_that_all_end_at_one_length_are_cut_and_others_are_not():
    cut = collated(("abcdef", [*map(ord, "abc"), 1]), ("ab", [*map(ord, "ab"), 1]))
    (finding,) = target_is_truncated(cut)
    assert (
        finding.where == "row 0"
        and "lack 3 tokens of the summary" in finding.message
        and "mid-sentence" in finding.message
    )
    lead = collated(("abcdef", [*map(ord, "abc"), 1]), ("uvwxyz", [*map(ord, "uv"), 1]))
    assert not list(target_is_truncated(lead))


def test_languages_and_tasks_are_read_from_names():
    names = ("<|vi|>", "vi_VN", "__vi__", "<2vi>")
    assert {language_of([name]) for name in names} == {"vi"} and language_of(["vie_Latn"]) == "vie"
    assert task_of(["<|vi|>", "<|transcribe|>"]) == "<|transcribe|>" and task_of(["<2summarise>"]) == "<2summarise>"
    assert not task_of(["<|notimestamps|>", "<2en>"])


def alarms(**facts):
    report = diagnose.preflight(select=["LAB*", "TOK*"], **facts)
    assert not [(o.probe, o.reason) for o in report.outcomes if o.status == "crashed"]
    return [root.probe for root in report.diagnosis if root.severity != "note"]


class Ids:
    """The little that a tokenizer says about its ids."""

    pad_token_id, eos_token_id = 0, 1

    def __len__(self):
        return 40


IDS = torch.randint(2, 40, (4, 12), generator=torch.Generator().manual_seed(0))


def test_a_language_model_may_have_its_inputs_as_labels():
    sizes = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 32, "bos_token_id": 1, "eos_token_id": 1}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=40, **sizes))
    assert alarms(model=model, tokenizer=Ids(), train_batches=[{"input_ids": IDS, "labels": IDS.clone()}]) == []


def test_masked_words_of_a_masked_language_model_are_no_alarm():
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    model = BertForMaskedLM(BertConfig(vocab_size=40, **sizes))
    labels = torch.full_like(IDS, -100)
    labels[:, ::5] = IDS[:, ::5]
    batches = [{"input_ids": IDS.masked_fill(labels >= 0, 3), "labels": labels}]
    assert alarms(model=model, tokenizer=Ids(), train_batches=batches) == []


def ctc(labels, samples=6000, blank=0):
    config = Wav2Vec2Config(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        conv_dim=(8, 8),
        conv_kernel=(10, 8),
        conv_stride=(5, 8),
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        mask_time_prob=0.0,
        pad_token_id=blank,
        ctc_zero_infinity=True,
    )
    batch = {"input_values": torch.randn(len(labels), samples), "labels": pad_labels(labels)}
    return alarms(model=Wav2Vec2ForCTC(config), tokenizer=Ids(), train_batches=[batch])


def test_ctc_targets_need_no_end_token_but_room_and_a_blank_of_their_own():
    assert ctc([[5, 6, 7], [8, 9]]) == []
    assert ctc([[5] * 80, [8, 9]]) == ["LAB018"]
    assert ctc([[5, 7, 6], [8, 9]], blank=7) == ["LAB019"]
    assert ctc([[5, 6, 7, 6], [8, 9, 0, 0]]) == []  # padding left in: this loss drops its blank by itself


ITEMS = [
    {"transcript": "mẹ mua cá", "translation": "mother buys fish"},
    {"transcript": "cô giáo hát", "translation": "the teacher sings"},
    {"transcript": "bạn tôi viết thư", "translation": "my friend writes"},
]
TOKENS = hybrid_tokenizer([text for item in ITEMS for text in item.values()], "characters")


def swapped(items):
    return [{"transcript": item["translation"], "translation": item["transcript"]} for item in items]


def untranslated(items):
    return [{**item, "translation": item["transcript"]} for item in items]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda items: label_rows(TOKENS, items, "both", 64), []),
        (lambda items: label_rows(TOKENS, swapped(items), "both", 64), ["LAB028"]),
        (lambda items: label_rows(TOKENS, untranslated(items), "both", 64), ["LAB027"]),
        (lambda items: label_rows(TOKENS, items, "both", 64)[:-1], ["LAB029"]),
        (lambda items: label_rows(TOKENS, items, "both", 9), ["LAB016"]),
    ],
)
def test_both_tasks_of_the_trainers_own_collation(change, named):
    facts = {"tokenizer": TOKENS, "train_dataset": ITEMS, "collate": lambda items: {"labels": change(items)}}
    report = diagnose.preflight(select=["LAB014", "LAB016", "LAB02[789]"], **facts)
    assert [root.probe for root in report.diagnosis] == named


def test_a_broken_collator_is_one_root_in_the_whole_preflight():
    """It masks by id, which takes text and end away and leaves rows without a label."""
    facts = with_labels(healthy("mt5"), lambda labels: labels.masked_fill(labels < 300, -100))
    report = diagnose.preflight(select=["LAB*", "TOK*", "LOS*", "GRD*"], **facts)
    (root,) = [root for root in report.diagnosis if root.severity != "note"]
    assert root.probe == "LAB004" and {o.probe for o in root.consequences} >= {"LAB007"}


def test_the_padded_tail_knows_the_end_token():
    own = SpecialIds(padding=(0,), end=1)
    assert padding_length([5, 6, 1, 0, 0], own) == 2 and padding_length([5, 6, 1, -100], own) == 1
    assert padding_length([5, 0, 6, 1], own) == 0 and padding_length([-100, -100], own) == 2
    shared = SpecialIds(padding=(1,), end=1)  # as in Whisper: the first of them ends the text
    assert padding_length([5, 6, 1, 1, 1], shared) == 2 and padding_length([5, 6, 1], shared) == 0


def test_what_the_loss_skips_is_read_from_its_gradient():
    labels, own = torch.tensor([[5, 1, 0, 0]]), SpecialIds(padding=(0,), end=1)
    assert ignored_ids(labels, [[True, True, False, False]], own) == (0,)
    assert ignored_ids(labels, [[True, True, True, True]], own) == ()
    assert ignored_ids(labels, [], own) == ()
