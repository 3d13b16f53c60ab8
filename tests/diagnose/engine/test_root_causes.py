"""Roots first: one fault, one root."""

from hypothesis import given
from hypothesis import strategies as some

from diagnose import Severity
from tests.support.fake_probes import examine, finds, passes, probe_of


def tree(report):
    return {root.probe: [finding.probe for finding in root.explains] for root in report.diagnosis}


def test_two_independent_errors_are_two_roots():
    assert tree(examine([finds("DAT001"), finds("LAB001"), passes("LOS001")])) == {"DAT001": [], "LAB001": []}


def test_a_collator_fault_that_breaks_loss_and_gradients_is_one_root_with_the_rest_beneath():
    """One wrong collator, one fact, three probes that see it."""

    def batch(collate):
        return collate([[5, 6, 7], [8]])

    def coverage(batch):
        return sum(label != -100 for row in batch for label in row)

    def first_step(coverage):
        return {"loss": 0.0 if coverage == 0 else 2.0, "norm": 0.0 if coverage == 0 else 1.0}

    from diagnose import Finding

    def no_label(coverage):
        if coverage == 0:
            yield Finding("batch 0", "0 of 4 labels are scored", "mask the padding only", {"scored": 0})

    def loss_is_zero(first_step):
        if first_step["loss"] == 0:
            yield Finding("batch 0", "the loss is 0", "look at the labels")

    def no_gradient(first_step):
        if first_step["norm"] == 0:
            yield Finding("model", "the gradient is 0", "look at the loss")

    probes = [
        probe_of("LAB001", no_label, explains=("LOS*", "LRN*")),
        probe_of("LOS001", loss_is_zero, explains=("GRD*",)),
        probe_of("GRD001", no_gradient),
    ]
    providers = [batch, coverage, first_step]
    broken = examine(probes, providers, collate=lambda rows: [[-100 for _ in row] for row in rows])
    assert tree(broken) == {"LAB001": ["LOS001", "GRD001"]}
    assert broken.diagnosis[0].finding.message == "0 of 4 labels are scored"
    assert examine(probes, providers, collate=lambda rows: rows).clean


def test_an_explained_error_without_its_root_is_a_root_of_its_own():
    assert tree(examine([passes("LAB001"), finds("LOS001")])) == {"LOS001": []}


def test_a_note_explains_nothing_and_comes_last():
    report = examine([finds("ENV001", ("*",), Severity.NOTE), finds("LOS001"), finds("DAT001", (), Severity.WARNING)])
    assert list(tree(report)) == ["LOS001", "DAT001", "ENV001"]


def test_a_warning_that_explains_an_error_stands_among_the_errors():
    report = examine([finds("CFG001", ("LOS*",), Severity.WARNING), finds("DAT001")])
    assert list(tree(report)) == ["DAT001", "CFG001"]
    report = examine([finds("CFG001", ("LOS*",), Severity.WARNING), finds("LOS001")])
    assert tree(report) == {"CFG001": ["LOS001"]} and report.diagnosis[0].severity is Severity.ERROR


def test_a_circle_is_not_lost():
    report = examine([finds("LAB001", ("LOS001",)), finds("LOS001", ("LAB001", "GRD*")), finds("GRD001", ("LOS*",))])
    assert tree(report) == {"LAB001": ["LOS001", "GRD001"]}


ids = ["ENV001", "DAT001", "LAB001", "LAB002", "LOS001", "GRD001"]


@given(some.dictionaries(some.sampled_from(ids), some.lists(some.sampled_from([*ids, "L*", "*"])), min_size=1))
def test_every_finding_stands_in_exactly_one_place(explains):
    report = examine([finds(id, globs) for id, globs in explains.items()])
    placed = [finding.probe for root in report.diagnosis for finding in (*root.findings, *root.explains)]
    assert sorted(placed) == sorted(explains)
    assert report.diagnosis
