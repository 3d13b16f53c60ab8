"""Batches drawn from the training set, and their labels."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.batches.types import BatchForm, Drawing, LabelRow, SpecialIds
from probes.facts.first_step.types import FirstStep
from probes.facts.labels.types import Rehearsal

if TYPE_CHECKING:
    from torch.nn import Module

COUNT = 4  # enough to meet rows of several lengths; probes on all of the data read the manifest


@provider
def drawing(train_batches: Any) -> Drawing:
    """The first batches, drawn so that loader, workers and random states do not notice."""
    from probes.facts.core.batches import draw

    drawn = draw(train_batches, COUNT)
    if not drawn.batches and drawn.failure is None:
        raise Unavailable("train_batches gave no batch")
    return drawn


@provider
def drawn_batches(drawing: Drawing) -> tuple[Any, ...]:
    if drawing.failure is not None:
        raise Unavailable(str(drawing.failure))
    return drawing.batches


@provider
def batch(drawn_batches: tuple[Any, ...]) -> Any:
    """The first batch; instruments work on a copy of it."""
    return drawn_batches[0]


@provider
def special_ids(tokenizer: Any = None, model: Any = None) -> SpecialIds:
    """What pads and what ends labels, by the tokenizer's word and by the model's configuration."""
    sources = [tokenizer, getattr(model, "config", None), getattr(model, "generation_config", None)]
    padding = {getattr(source, "pad_token_id", None) for source in sources}
    ends = [token for source in sources for token in _listed(getattr(source, "eos_token_id", None))]
    starts = [getattr(source, "decoder_start_token_id", None) for source in sources[1:]]
    return SpecialIds(
        padding=tuple(sorted(token for token in padding if isinstance(token, int))),
        end=next(iter(ends), None),
        ends=tuple(dict.fromkeys(ends)),
        start=next((token for token in starts if isinstance(token, int)), None),
        vocabulary=len(tokenizer) if hasattr(tokenizer, "__len__") else getattr(sources[1], "vocab_size", None),
    )


def _listed(token: Any) -> list[int]:
    """Some models end with any of several tokens."""
    return [one for one in (token if isinstance(token, list | tuple) else [token]) if isinstance(one, int)]


@provider
def label_rows(
    drawn_batches: tuple[Any, ...],
    special_ids: SpecialIds,
    labels_of: Any = None,
    first_step: FirstStep | None = None,
    rehearsal: Rehearsal | None = None,
) -> tuple[LabelRow, ...]:
    """Every row of the drawn labels. What the loss was seen to skip does not count as scored."""
    from probes.facts.core.model_output import labels_of_batch
    from probes.facts.labels.label_rows import dropped_by_ctc, label_rows_of, skipped_ids

    read = labels_of or labels_of_batch
    if read(drawn_batches[0]) is None:
        raise NotApplicable("the batches hold no 'labels' and are no pairs: give labels_of")
    special = special_ids if _are_tokens(special_ids, first_step) else SpecialIds()
    skipped = skipped_ids(read(drawn_batches[0]), first_step.felt, special) if first_step else ()
    skipped += dropped_by_ctc(rehearsal.ctc, read(drawn_batches[0])) if rehearsal else ()
    rows = label_rows_of(drawn_batches, read, special, skipped)
    if not rows:
        raise NotApplicable("the labels are not numbers of classes or tokens")
    return rows


def _are_tokens(special: SpecialIds, first_step: FirstStep | None) -> bool:
    """Classes of a tagger are no tokens: its head is far smaller than the vocabulary, give or take some padding."""
    head = first_step.loss.vocabulary if first_step and first_step.loss else None
    return head is None or special.vocabulary is None or 2 * head >= special.vocabulary


@provider
def batch_form(model: "Module", batch: Any, labels_of: Any = None) -> BatchForm:
    from probes.facts.batches.batch_shape import form_of
    from probes.facts.core.model_output import labels_of_batch

    return form_of(model, batch, labels_of or labels_of_batch)
