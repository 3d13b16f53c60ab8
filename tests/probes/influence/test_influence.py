"""What influences what: told where it should not, or where it should and does not; silent on runs that look alike."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose
from tests.bench.peer_tools.classic_bugs import BUGS

PROBES = ["LOS02*", "GRD024", "PAR020"]
TOLD = {
    "softmax_over_rows": "LOS020",
    "view_instead_of_transpose": "LOS020",
    "batch_first_forgotten": "LOS020",
    "mask_without_influence": "LOS021",
    "feature_without_influence": "LOS022",
    "time_step_without_influence": "LOS022",
    "batch_changed_in_place": "LOS023",
    "dropout_in_evaluation": "LOS024",
    "over_confident_initialization": "LOS025",
    "layer_never_called": "GRD024",
    "layer_frozen_by_accident": "PAR020",
    "batch_norm_in_eval_mode": "LOS025",  # beneath PLC005: what is not normalized makes wide logits
}


def found(facts, select=PROBES):
    report = diagnose.preflight(select=select, **{name: value for name, value in facts.items() if name != "loss"})
    assert not [o for o in report.outcomes if o.status in ("blocked", "crashed")], report.outcomes
    return [finding.probe for finding in report.findings if finding.severity != "note"]


@pytest.mark.parametrize("name", BUGS)
@pytest.mark.parametrize("seed", range(2))
def test_a_classic_bug_is_told_by_its_probe_and_its_twin_by_none(name, seed):
    assert found(BUGS[name].run(True, seed).facts()) == ([TOLD[name]] if name in TOLD else [])
    assert found(BUGS[name].run(False, seed).facts()) == []


def test_the_place_where_rows_meet_is_named():
    facts = BUGS["batch_first_forgotten"].run(True).facts()
    del facts["loss"]
    (finding,) = diagnose.preflight(select=["LOS020"], **facts).findings
    assert finding.where == "attention" and "MultiheadAttention" in finding.message


def run(model, x, y, loss=cross_entropy):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {
        "model": model,
        "train_batches": [(x, y)],
        "compute_loss": lambda model, batch: loss(model(batch[0]), batch[1]),
        "optimizer": optimizer,
    }


class Similarities(nn.Module):
    """One score for every pair of rows, as contrastive losses have it."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(12, 8)

    def forward(self, x):
        hidden = self.inner(x)
        return hidden @ hidden.T


class Stateful(nn.Module):
    """Goes on from where the last batch ended."""

    def __init__(self):
        super().__init__()
        self.rnn, self.head, self.state = nn.GRU(12, 8, batch_first=True), nn.Linear(8, 5), None

    def forward(self, x):
        state = self.state if self.state is not None and self.state.shape[1] == len(x) else None
        hidden, self.state = self.rnn(x, state)
        self.state = self.state.detach()
        return self.head(hidden[:, -1])


class MaxPooled(nn.Module):
    """Most positions lose the maximum, and have no gradient in this batch."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Conv1d(1, 3, 5, stride=5), nn.Linear(3, 5)

    def forward(self, x):
        return self.head(self.first(x[:, None]).amax(-1))


def test_pairs_of_rows_state_between_passes_and_a_maximum_are_no_alarm():
    torch.manual_seed(0)
    x, y = torch.randn(16, 12), torch.arange(16)
    assert found(run(Similarities(), x, y)) == []
    assert found(run(Stateful(), torch.randn(16, 7, 12), y % 5)) == []
    assert found(run(MaxPooled(), torch.randn(16, 200), y % 5)) == []


class PadsLabels(nn.Module):
    """Writes -100 over the padding of the labels, the same each time."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(12, 5)

    def forward(self, x):
        return self.inner(x)


def test_what_is_written_once_and_stays_is_no_alarm():
    def loss(scores, labels):
        labels[labels == 0] = -100
        return cross_entropy(scores, labels)

    torch.manual_seed(0)
    assert found(run(PadsLabels(), torch.randn(16, 12), torch.arange(16) % 5, loss)) == []


def test_an_unused_layer_of_a_library_is_no_alarm():
    from transformers import BertConfig, BertForMaskedLM, BertModel

    config = BertConfig(vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
    torch.manual_seed(0)
    model = BertForMaskedLM(config)
    model.bert = BertModel(config, add_pooling_layer=True)  # the pooler is for another task
    ids = torch.randint(5, 60, (8, 10))
    batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}
    facts = {"model": model, "train_batches": [batch], "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}
    assert found(facts, ["GRD024", "LOS020", "LOS021"]) == []


class Labeled(nn.Module):
    """Gets the labels with the number of them in each row, and needs only the labels."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(6, 5)

    def forward(self, x, labels, lengths):
        scores = self.inner(x)[:, None].expand(-1, labels.shape[1], -1)
        return {"loss": cross_entropy(scores.flatten(0, 1), labels.flatten()), "logits": scores}


@pytest.mark.parametrize(("lengths", "expected"), [((2, 3, 1), []), ((9, 3, 1), ["LOS021"])])
def test_the_lengths_of_the_labels_may_be_left_unused_and_other_numbers_not(lengths, expected):
    torch.manual_seed(0)
    model, labels = Labeled(), torch.tensor([[1, 2, -100], [3, 4, 1], [2, -100, -100]])
    batch = {"x": torch.randn(3, 6), "labels": labels, "lengths": torch.tensor(lengths)}
    facts = {"model": model, "train_batches": [batch], "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}
    assert found(facts, ["LOS021"]) == expected
