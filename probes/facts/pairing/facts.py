"""Do targets fit their own inputs better than those of other rows? By a small teacher, and by the model's own loss."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import has_items, require
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.pairing.types import LabelColumns, PairTest, PairTests, RowMatches, SwappedTargetLoss

if TYPE_CHECKING:
    from probes.facts.pairing.read_pairs import PairRows

LEAST = 30  # rows; below, right pairs may look like chance
DOUBT = 1e-3  # a chance above which the evaluation set is read too, and the model itself is asked
EVALUATION, BATCHED = "the evaluation set", "train_batches"


@provider
def pair_rows(
    train_batches: Any, labels_of: LabelsOf, train_dataset: Any = None, collate: Any = None, inputs_of: Any = None
) -> "PairRows":
    """Up to 400 rows of the items, of plain vectors 1,200; of the batches where there are no items."""
    return _read(train_dataset, collate, train_batches, labels_of, inputs_of)


@provider
def label_columns(pair_rows: "PairRows") -> LabelColumns:
    """Of inputs that are vectors, as tables are."""
    found = [kind.columns for kind in pair_rows.kinds if kind.columns is not None]
    return require(found, "the inputs are not vectors of features with one label each")[0]


@provider
def pair_tests(
    pair_rows: "PairRows",
    train_batches: Any,
    labels_of: LabelsOf,
    train_dataset: Any = None,
    collate: Any = None,
    eval_dataset: Any = None,
    inputs_of: Any = None,
    tokenizer: Any = None,
) -> PairTests:
    """The items, and the batches that are made of them; the model is not needed."""
    import time

    start, rows = time.perf_counter(), pair_rows
    train = _related(rows, tokenizer)
    doubted = any(one.whole and one.p_value > DOUBT for one in train)
    evaluation: tuple[PairTest, ...] = ()
    if doubted and has_items(eval_dataset) and collate is not None:
        try:
            evaluation = _related(_read(eval_dataset, collate, None, labels_of, inputs_of), tokenizer, EVALUATION)
        except NotApplicable:
            evaluation = ()
    batches: tuple[PairTest, ...] = ()
    if not doubted and len(rows.kinds) == 1 and collate is not None and _is_made_of(train_batches, train_dataset):
        try:
            batches = _related(_read(None, None, train_batches, labels_of, inputs_of), tokenizer, BATCHED)[:1]
        except NotApplicable:
            batches = ()
    return PairTests(train, evaluation, batches, len(rows.numbers), time.perf_counter() - start, rows.consumed)


@provider
def row_matches(drawn_batches: Any, labels_of: LabelsOf, model: Any = None) -> RowMatches:
    """Labels that stand at the places of their input: whether they fit their own row, in the first batches."""
    from probes.facts.pairing.row_matches import labels_of_no_row, match_rows

    found = match_rows(drawn_batches, labels_of) or labels_of_no_row(drawn_batches, labels_of, model)
    return require(found, "labels and inputs share no positions that distinguish rows")


@provider
def pairs_requested() -> bool:
    """Given by `diagnose overfit --pairs`: the model itself is asked too, whatever that costs."""
    raise NotApplicable("it was not requested")


@provider(assumes=("evaluation_is_deterministic",))
def swapped_target_loss(
    update_setup: StepSetup,
    train_batches: Any,
    pair_tests: PairTests | None = None,
    row_matches: RowMatches | None = None,
    pairs_requested: bool = False,
) -> SwappedTargetLoss:
    """Before any training; where that shows nothing, after some updates, on batches that were kept out of them."""
    from probes.facts.core.batches import draw
    from probes.facts.pairing.swapped_target_loss import BATCHES, compare

    if not pairs_requested:
        _only_in_doubt(pair_tests, row_matches)
    drawn = draw(train_batches, BATCHES)
    if drawn.failure is not None or not drawn.batches:
        raise NotApplicable("no batches can be drawn")
    return compare(update_setup, drawn.batches)


def _is_made_of(batches: Any, dataset: Any) -> bool:
    """Whether the batches come from these items: a loader over other rows says nothing about them."""
    own = getattr(batches, "dataset", dataset)
    return has_items(own, dataset) and (own is dataset or len(own) == len(dataset))


def _only_in_doubt(found: PairTests | None, matches: RowMatches | None) -> None:
    shown = found is not None and all(one.p_value <= DOUBT for one in (*found.train, *found.batches) if one.whole)
    if shown or matches is not None:
        raise NotApplicable("another test already shows that targets match inputs; `diagnose overfit --pairs` runs it")


def _read(dataset: Any, collate: Any, batches: Any, labels_of: LabelsOf, inputs_of: Any) -> "PairRows":
    from probes.facts.pairing.read_pairs import from_batches, from_items, read

    def work() -> "PairRows":
        if has_items(dataset) and collate is not None:
            return from_items(dataset, collate, labels_of, inputs_of)
        return from_batches(batches, labels_of, inputs_of)

    rows = read(work, (dataset, collate, batches))
    require(len(rows.numbers) >= LEAST, f"{len(rows.numbers)} rows are too few, expected at least {LEAST}")
    return rows


def _related(rows: "PairRows", tokenizer: Any, of: str = "train_dataset") -> tuple[PairTest, ...]:
    from probes.facts.pairing.held_out_test import run_pair_tests

    names = [of + _name(rows, number, tokenizer) for number in range(len(rows.kinds))]
    return tuple(
        relation
        for kind, name in zip(rows.kinds, names, strict=True)
        for relation in run_pair_tests(kind, rows.stretches, rows.numbers, name)
    )


def _name(rows: "PairRows", number: int, tokenizer: Any) -> str:
    """What all targets of a kind begin with tells them apart from the other kinds, unless they begin alike."""
    if len(rows.kinds) == 1:
        return ""
    first, alike = rows.kinds[number].first, len({kind.first for kind in rows.kinds}) < len(rows.kinds)
    if first is not None and not alike and hasattr(tokenizer, "convert_ids_to_tokens"):
        return f", targets that start with {tokenizer.convert_ids_to_tokens(first)}"
    return f", target {number + 1} of {len(rows.kinds)} of each item"
