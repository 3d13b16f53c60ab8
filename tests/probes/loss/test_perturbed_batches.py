"""Logits, loss terms, row order and sign: what the loss does when its batch or its logits change."""

import random

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, ctc_loss, nll_loss

import diagnose
from diagnose import Severity
from probes.faults.kit.loss_changes import after_head, with_loss
from probes.healthy import healthy
from probes.subjects.classifier import compute_loss
from tests.probes.loss.support import alarms, looked

SEEDS = 40  # with a single look more, one of them was blamed


@pytest.mark.parametrize(
    ("change", "like"), [(torch.sigmoid, "a sigmoid"), (torch.tanh, "a tanh"), (torch.relu, "a relu")]
)
def test_what_bounds_the_scores_is_told_by_its_ends(change, like):
    (finding,) = [f for f in looked(after_head(healthy("mt5"), change)).findings if f.probe == "LOS010"]
    assert f"as after {like}" in finding.message and finding.where == "lm_head"


def binary(forward):
    torch.manual_seed(0)
    x = torch.randn(32, 12)
    loss = nn.BCEWithLogitsLoss()
    return {
        "model": forward(nn.Linear(12, 1)),
        "train_batches": [(x[n : n + 8], (x[n : n + 8, 0] > 0).float()) for n in range(0, 32, 8)],
        "compute_loss": lambda model, batch: loss(model(batch[0]).squeeze(-1), batch[1]),
    }


def test_a_sigmoid_before_the_loss_that_has_its_own_is_found():
    assert not alarms(binary(nn.Sequential))
    (finding,) = looked(binary(lambda head: nn.Sequential(head, nn.Sigmoid()))).findings
    assert finding.probe == "LOS010" and "as after a sigmoid" in finding.message


def test_probabilities_into_nll_are_told_as_such():
    facts = with_loss(healthy("classifier"), lambda scores, labels: nll_loss(scores.softmax(-1), labels))
    (finding,) = [f for f in looked(facts).findings if f.probe == "LOS009"]
    assert "receives probabilities" in finding.message


def test_parts_of_two_kinds_are_a_warning():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(12, 5)

        def forward(self, x, y):
            scores = self.head(x)
            att, ctc = cross_entropy(scores, y), cross_entropy(scores, y, reduction="sum")
            return {"loss": 0.5 * att + 0.5 * ctc, "logits": scores, "att_loss": att, "ctc_loss": ctc}

    facts = healthy("classifier")
    facts = {"model": Two(), "train_batches": facts["train_batches"]}
    (finding,) = looked(facts).findings
    assert finding.probe == "LOS011" and "ctc_loss is a sum and att_loss a mean" in finding.message


class Raising(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.head, self.how = nn.Linear(12, 5), how

    def forward(self, x):
        return self.how(self.head(x))


RAISES = {
    "make the input size match": lambda scores: scores @ torch.zeros(3, 3),
    "set the head size": lambda scores: scores[:, :2],
    "call model.resize_token_embeddings": lambda scores: nn.functional.embedding(torch.tensor([9]), scores),
}


@pytest.mark.parametrize(("cure", "how"), RAISES.items(), ids=RAISES)
def test_what_raises_has_a_cure_of_its_own(cure, how):
    facts = healthy("classifier") | {"model": Raising(how)}
    facts["optimizer"] = torch.optim.SGD(facts["model"].parameters(), lr=0.1)
    (finding,) = looked(facts).findings
    assert finding.probe == "LOS003" and finding.fix.startswith(cure)
    assert "Traceback" in finding.measured["trace"]


def test_a_loss_that_wavers_by_itself_is_not_blamed_on_the_order_of_rows():
    facts = healthy("classifier")
    for seed in range(SEEDS):
        chance = random.Random(seed)
        facts["compute_loss"] = lambda model, batch, c=chance: compute_loss(model, batch) * (1 + c.gauss(0, 0.05))
        assert not diagnose.preflight(select=["LOS007"], **facts).findings, seed


class Acoustic(nn.Module):
    """Scores every second frame, for CTC."""

    def __init__(self):
        super().__init__()
        self.encoder, self.out = nn.Conv1d(6, 12, 3, stride=2, padding=1), nn.Linear(12, 9)

    def forward(self, feats):
        return self.out(self.encoder(feats.mT).relu().mT).log_softmax(-1)


def spoken(sign=1.0, named="lens"):
    """Rows of several lengths, the first of them padded; their lengths stand under a name of the user's own."""
    lens, texts = torch.tensor([8, 20, 14]), torch.tensor([[1, 2, -100], [3, 4, 5], [6, 7, -100]])
    feats = torch.randn(3, 20, 6) * (torch.arange(20) < lens[:, None])[..., None]
    batch = {"feats": feats, named: lens, "labels": texts, "text_lens": (texts >= 0).sum(1)}

    def ctc(model, batch):
        frames = (batch[named][: len(batch["feats"])] + 1) // 2 if named in batch else torch.full((3,), 10)
        scores = model(batch["feats"]).transpose(0, 1)
        return sign * ctc_loss(scores, batch["labels"].clamp(min=0), frames, batch["text_lens"], zero_infinity=True)

    return {"model": Acoustic(), "train_batches": [batch], "compute_loss": ctc}


def test_a_ctc_run_whose_lengths_have_a_name_of_their_own_is_silent():
    assert alarms(spoken()) == []


def test_the_sign_of_a_ctc_loss_is_read_from_its_slope():
    assert alarms(spoken(-0.5)) == [("LOS016", Severity.ERROR)]


def test_rows_without_labels_may_be_pairs():
    def prefers(model, batch):
        """As a reward model's: the first half of the rows is preferred to the second."""
        chosen, rejected = model(batch["x"]).chunk(2)
        return -nn.functional.logsigmoid(chosen - rejected).mean()

    facts = {"model": nn.Linear(5, 1), "train_batches": [{"x": torch.randn(8, 5)}], "compute_loss": prefers}
    report = diagnose.preflight(select=["LOS007"], **facts)
    assert not report.findings
