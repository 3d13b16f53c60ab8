"""Each trait on subjects that have it and on subjects that lack it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cosine_similarity, cross_entropy, mse_loss

from diagnose.engine.engine import installed
from diagnose.engine.traits import Trait
from probes.healthy import healthy

Loss = Callable[[nn.Module, Any], torch.Tensor]


def measured(trait: str, facts: dict[str, Any]) -> Trait:
    return installed().context(facts).get(trait)


def run_of(compute_loss: Loss, classes: int = 5) -> dict[str, Any]:
    torch.manual_seed(0)
    batches = [(torch.randn(8, 6), torch.arange(8) % classes) for _ in range(3)]
    return {"model": nn.Linear(6, classes), "train_batches": batches, "compute_loss": compute_loss}


def classifies(model: nn.Module, batch: Any) -> torch.Tensor:
    return cross_entropy(model(batch[0]), batch[1])


def adds_noise(model: nn.Module, batch: Any) -> torch.Tensor:
    return cross_entropy(model(batch[0] + torch.randn_like(batch[0])), batch[1])


def contrasts(model: nn.Module, batch: Any) -> torch.Tensor:
    one, other = model(batch[0]), model(batch[0] + 0.1)
    return cross_entropy(cosine_similarity(one[:, None], other[None], dim=-1), torch.arange(len(one)))


def rewards(model: nn.Module, batch: Any) -> torch.Tensor:
    advantage = torch.where(batch[0][:, 0] > 0, 1.0, -1.0)
    chosen = model(batch[0]).log_softmax(-1).gather(1, batch[1][:, None])[:, 0]
    return -(advantage * chosen).mean()


def rebuilds(model: nn.Module, batch: Any) -> torch.Tensor:
    return mse_loss(model(batch[0]), batch[0][:, :5])


class CountsCalls(nn.Linear):
    """A state outside torch's random numbers, so that no seed repeats it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return super().forward(x) * len(calls)


calls: list[int] = []

HEALTHY = ("whisper", "e2e", "hybrid", "mt5", "classifier")
SHOWN = ("evaluation_is_repeatable", "evaluation_is_deterministic", "rows_are_independent", "labels_are_classes")


@pytest.mark.parametrize("trait", SHOWN)
@pytest.mark.parametrize("subject", HEALTHY)
def test_healthy_subjects_have_every_trait_of_a_classifier(subject: str, trait: str) -> None:
    found = measured(trait, healthy(subject))
    assert found.holds, found.evidence


@pytest.mark.parametrize(
    ("trait", "loss"),
    [
        ("evaluation_is_deterministic", adds_noise),
        ("rows_are_independent", adds_noise),
        ("rows_are_independent", contrasts),
        ("labels_are_classes", contrasts),
        ("labels_are_classes", rewards),
        ("labels_are_classes", rebuilds),
    ],
)
def test_a_trait_that_a_run_lacks_is_not_shown(trait: str, loss: Loss) -> None:
    assert measured(trait, run_of(classifies)).holds
    assert not measured(trait, run_of(loss)).holds


def test_a_model_that_never_repeats_itself_is_not_repeatable() -> None:
    assert not measured("evaluation_is_repeatable", run_of(classifies) | {"model": CountsCalls(6, 5)}).holds
    assert measured("evaluation_is_repeatable", run_of(adds_noise)).holds


def test_a_joint_loss_of_rows_and_tokens_has_independent_rows() -> None:
    assert "in two parts" in measured("rows_are_independent", healthy("hybrid")).evidence


def test_a_batch_that_cannot_be_cut_has_no_independent_rows() -> None:
    def mixes(model: nn.Module, batch: Any) -> torch.Tensor:
        return cross_entropy(model((batch["edges"] @ batch["nodes"]).float()), batch["labels"])

    batch = {"nodes": torch.randn(8, 6), "edges": torch.rand(8, 8), "labels": torch.arange(8) % 5}
    found = measured("rows_are_independent", run_of(mixes) | {"train_batches": [batch]})
    assert not found.holds
    assert "do not run alone" in found.evidence


def test_a_run_generates_where_its_author_says_so() -> None:
    facts = healthy("mt5")
    assert measured("run_generates", facts).holds
    facts.pop("generate", None)
    assert not measured("run_generates", {"model": facts["model"], "train_batches": facts["train_batches"]}).holds


def test_traits_stand_in_the_report_and_a_probe_that_assumes_one_is_skipped() -> None:
    import diagnose
    from diagnose import Severity, Stage
    from diagnose.common.provider import provider
    from diagnose.engine.decorators import probe
    from diagnose.engine.engine import engine_of
    from diagnose.engine.types import Findings

    @provider
    def loss_is_even() -> Trait:
        return Trait(False, "the loss is 3")

    @probe("LOS901", Stage.LOSS, Severity.ERROR, assumes=("loss_is_even",))
    def judges(model: str) -> Findings:
        """Judges."""
        raise AssertionError(model)
        yield

    engine = engine_of([judges], [loss_is_even.function])
    report = engine.examine(engine.context({"model": "any"}))
    assert report.outcomes[0].reason == "not shown that loss is even: the loss is 3"
    assert report.traits == {"loss_is_even": Trait(False, "the loss is 3")}
    assert '"loss_is_even": {' in report.to_json()
    assert report.verdict is diagnose.Verdict.INCONCLUSIVE


def masks_some(items: list[Any]) -> dict[str, torch.Tensor]:
    tokens = torch.tensor(items)
    return {"input_ids": tokens, "labels": tokens.masked_fill(torch.rand(tokens.shape) < 0.8, -100)}


def masks_none(items: list[Any]) -> dict[str, torch.Tensor]:
    return {"input_ids": torch.tensor(items) + torch.randint(2, ()), "labels": torch.tensor(items)}


@pytest.mark.parametrize(("collate", "fixed"), [(masks_none, True), (masks_some, False)])
def test_labels_that_the_collator_draws_are_not_fixed(collate: Any, fixed: bool) -> None:
    rows = [[n, n + 1, n + 2, n + 3] for n in range(12)]
    assert measured("labels_are_fixed", {"train_dataset": rows, "collate": collate}).holds is fixed


@pytest.mark.parametrize(("noise", "fixed"), [(0.0, True), (0.1, False)])
def test_evaluation_rows_that_are_augmented_are_not_fixed(noise: float, fixed: bool) -> None:
    class Rows(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 12

        def __getitem__(self, number: int) -> torch.Tensor:
            return torch.full((4,), float(number)) + noise * torch.randn(4)

    loader = torch.utils.data.DataLoader(Rows(), batch_size=4)
    facts = {"eval_dataset": Rows(), "eval_batches": loader}
    assert measured("evaluation_rows_are_fixed", facts).holds is fixed
