"""Labels beside what the decoder reads, what the loss scores, and what CTC has to align."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from diagnose.engine.traits import Trait
from probes.facts.core.require import require
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.core.types import SpecialIds
from probes.facts.first_step.types import FirstStep
from probes.facts.labels.prefix_types import LabelPrefixes
from probes.facts.labels.types import CtcRow, EndTokens, EvalForward, LabelRow, LabelShift, SourceLabelPair


@provider
def eval_forward(step_setup: StepSetup, drawn_batches: tuple[Any, ...]) -> EvalForward:
    """The drawn batches in evaluation mode; everything that looks at decoder inputs and CTC shares these passes."""
    from probes.facts.labels.eval_forward import run_eval_forward

    heard = run_eval_forward(step_setup, drawn_batches)
    require(not heard.failure, heard.failure, Unavailable)
    return heard


@provider
def ctc_rows(eval_forward: EvalForward, label_rows: tuple[LabelRow, ...] = ()) -> tuple[CtcRow, ...]:
    """Targets of the CTC loss; a blank that the loss itself takes out of the labels counts as well."""
    from probes.facts.labels.label_rows import count_dropped_blanks

    require(eval_forward.ctc, "the loss has no CTC part")
    return count_dropped_blanks(eval_forward.ctc, label_rows)


@provider
def label_shift(label_rows: tuple[LabelRow, ...], eval_forward: EvalForward, first_step: FirstStep) -> LabelShift:
    """Where labels, decoder inputs and scores stand to each other; of the first batch."""
    from probes.facts.labels.label_shift import measure_label_shift

    labels = [row.ids for row in label_rows if row.batch == 0]
    taught = measure_label_shift(labels, eval_forward.decoder_inputs, first_step.loss_targets, eval_forward.follows)
    require(taught.input_shift is not None, "no decoder reads the labels token by token")
    if taught.target_shift is None:
        raise NotApplicable("the gradient does not show the target of the loss at each position")
    return taught


@provider
def label_influence_distance(eval_forward: EvalForward) -> int:
    """How far behind a label the scores follow it."""
    if eval_forward.follows is None:
        raise NotApplicable("the logits do not depend on the labels: no decoder reads them")
    return eval_forward.follows


@provider
def decoder_rows(
    label_rows: tuple[LabelRow, ...], eval_forward: EvalForward | None = None, model: Any = None
) -> tuple[LabelRow, ...]:
    """The rows with a label, where a decoder says them one after the other: not classes, not targets of CTC."""
    told = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    if not told and (eval_forward is None or eval_forward.follows is None):
        raise NotApplicable("the labels are not the output sequence of a decoder")
    return tuple(row for row in label_rows if row.scored)


@provider
def decoder_start(special_ids: SpecialIds, eval_forward: EvalForward | None = None) -> int:
    """By the configuration; else what the decoder was seen to read first in every row."""
    firsts = {row[0] for row in eval_forward.decoder_inputs if row} if eval_forward else set()
    if special_ids.start is None and len(firsts) != 1:
        raise NotApplicable("the decoder start token is unknown")
    return firsts.pop() if special_ids.start is None else special_ids.start


@provider
def label_prefixes(
    decoder_rows: tuple[LabelRow, ...],
    tokenizer: Any,
    special_ids: SpecialIds,
    model: Any = None,
    decoder_start: int | None = None,
) -> LabelPrefixes:
    """The special tokens before the text of each row."""
    from probes.facts.labels.label_prefixes import prefixes_of

    return prefixes_of(decoder_rows, tokenizer, special_ids, model, decoder_start)


@provider
def source_label_pairs(
    drawn_batches: tuple[Any, ...], decoder_rows: tuple[LabelRow, ...], special_ids: SpecialIds, model: Any = None
) -> tuple[SourceLabelPair, ...]:
    """The labels of each row beside its input_ids, where an encoder reads tokens."""
    from probes.facts.labels.label_rows import source_rows_of

    _require_encoder(model)
    rows = source_rows_of(drawn_batches, decoder_rows, special_ids)
    return require(rows, "the batches have no input_ids to compare the labels with")


@provider
def end_tokens(decoder_rows: tuple[LabelRow, ...], special_ids: SpecialIds, model: Any = None) -> EndTokens:
    """Which rows end with an end token, and how much room there is behind those that do not."""
    from probes.facts.labels.label_rows import endings_of

    _require_encoder(model)
    require(special_ids.ends, "neither tokenizer nor model defines an EOS token")
    return endings_of(decoder_rows, special_ids)


def _require_encoder(model: Any) -> None:
    """A model that says it is a decoder alone reads its own labels, and running text need not end in a row."""
    if getattr(getattr(model, "config", None), "is_encoder_decoder", True) is False:
        raise NotApplicable("the model has no encoder: its inputs are its labels, and rows may be chunks of text")


@provider
def label_rows(
    drawn_batches: tuple[Any, ...],
    special_ids: SpecialIds,
    labels_of: LabelsOf,
    first_step: FirstStep | None = None,
    eval_forward: EvalForward | None = None,
) -> tuple[LabelRow, ...]:
    """Every row of the drawn labels. What the loss was seen to skip does not count as scored."""
    from probes.facts.labels.label_rows import dropped_by_ctc, ignored_ids, label_rows_of

    labels = labels_of(drawn_batches[0])
    if labels is None:
        raise NotApplicable("the batches have no 'labels' and are not pairs: pass labels_of")
    special = special_ids if _are_tokens(special_ids, first_step) else SpecialIds()
    skipped = ignored_ids(labels, first_step.scored_positions, special) if first_step else ()
    skipped += dropped_by_ctc(eval_forward.ctc, labels) if eval_forward else ()
    rows = label_rows_of(drawn_batches, labels_of, special, skipped)
    return require(rows, "the labels are not class or token ids")


@provider
def fixed_label_rows(label_rows: tuple[LabelRow, ...], labels_are_fixed: Trait | None = None) -> tuple[LabelRow, ...]:
    """The rows, unless the collator was seen to draw them: then another draw has other positions."""
    if labels_are_fixed is not None:
        require(labels_are_fixed.holds, f"the labels are random: {labels_are_fixed.evidence}")
    return label_rows


def _are_tokens(special: SpecialIds, first_step: FirstStep | None) -> bool:
    """Classes of a tagger are no tokens: its head is far smaller than the vocabulary, give or take some padding."""
    head = first_step.loss.vocabulary if first_step and first_step.loss else None
    return head is None or special.vocabulary is None or 2 * head >= special.vocabulary
