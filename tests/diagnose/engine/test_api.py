"""The Python entry, with the probes and providers that are installed."""

import pytest
import torch

import diagnose
from diagnose.common.errors import InputError
from diagnose.gate.digests import DigestInputs
from diagnose.gate.output_folder import read_receipt


class Tagger(torch.nn.Module):
    """The smallest model that a person might have of their own."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(10, 8), torch.nn.Linear(8, 10)

    def forward(self, input_ids, labels):
        logits = self.head(self.embed(input_ids))
        return {"loss": torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels), "logits": logits}


LOOK = [stage for stage in diagnose.Stage if stage is not diagnose.Stage.ENVIRONMENT]  # it starts processes: slow


def facts(labels=None):
    torch.manual_seed(0)
    model, ids = Tagger(), torch.arange(10).reshape(2, 5)
    batch = {"input_ids": ids, "labels": ids.flip(1) if labels is None else torch.full_like(ids, labels)}
    return {"model": model, "train_batches": [batch] * 3, "optimizer": torch.optim.AdamW(model.parameters())}


def test_a_healthy_run_of_ones_own_is_go_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = diagnose.preflight(stages=LOOK, **facts())
    assert report.require().verdict is diagnose.Verdict.GO and report.exit_code == 0
    assert list(tmp_path.iterdir()) == []
    skipped = report.having(diagnose.Status.SKIPPED)
    assert any(outcome.reason.startswith("not given: ") for outcome in skipped)
    assert all(outcome.reason for outcome in skipped)


def test_labels_that_are_all_masked_are_one_root():
    report = diagnose.preflight(stages=LOOK, **facts(labels=-100))
    with pytest.raises(diagnose.PreflightFailed, match="no-go: LAB001"):
        report.require()
    assert [root.probe for root in report.diagnosis if root.severity is diagnose.Severity.ERROR] == ["LAB001"]
    finding = report.diagnosis[0].finding
    assert (finding.probe, finding.stage, finding.severity) == ("LAB001", "labels", "error")
    assert finding.where and finding.message and finding.fix and finding.measured


def test_a_receipt_is_written_when_asked_for(tmp_path):
    diagnose.preflight(digest_inputs=DigestInputs(tmp_path / "out"), select=["PAR001"], **facts())
    receipt = read_receipt(tmp_path / "out")
    assert receipt.probes == {"PAR001": "passed"} and not receipt.full


def test_a_finding_does_not_depend_on_which_other_probes_were_selected():
    together = diagnose.preflight(stages=LOOK, everything=True, **facts(labels=-100))
    for outcome in together.having(diagnose.Status.FOUND):
        alone = diagnose.preflight(select=[outcome.probe], **facts(labels=-100))
        assert repr(alone.outcomes[0].findings) == repr(outcome.findings)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"modle": 1}, r"there is no fact named 'modle' \(nearest: model\)"),
        ({"stages": ["labelz"]}, r"there is no stage 'labelz' \(nearest: labels\)"),
        ({"select": ["LAB999"]}, "there is no probe 'LAB999'"),
        ({"ignore": {"LAB001": ""}}, "needs a reason"),
    ],
)
def test_what_is_misspelt_is_refused_with_the_nearest(asked, sentence):
    with pytest.raises(InputError, match=sentence):
        diagnose.preflight(**asked)
