"""Twenty classic bugs in plain PyTorch, each with a healthy twin that differs in the bug alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.bench.peer_tools import classic_models as models
from tests.bench.peer_tools.classic_runs import (
    CLASSES,
    WIDTH,
    ClassicRun,
    class_rows,
    class_sequences,
    padded_texts,
    regression_rows,
    run_of,
)

Build = Callable[[bool], ClassicRun]
# What a message must hold to name the bug, besides its own words: a tool may speak of rows or of samples.
ROWS = r"other (rows|samples)|across the batch|(rows|samples) (influence|depend|mix)|row order|batch_first|batch indep"


@dataclass(frozen=True)
class ClassicBug:
    """A run with and without the bug; `words` is a pattern that a message matches which names it."""

    name: str
    words: str
    build: Build

    def run(self, broken: bool, seed: int = 0) -> ClassicRun:
        torch.manual_seed(seed)
        return self.build(broken)


BUGS: dict[str, ClassicBug] = {}


def bug(words: str) -> Callable[[Build], Build]:
    """Registers a bug under the name of its function."""

    def register(build: Build) -> Build:
        BUGS[build.__name__] = ClassicBug(build.__name__, words, build)
        return build

    return register


@bug("softmax|probabilit")
def softmax_before_cross_entropy(broken: bool) -> ClassicRun:
    return run_of(models.classifier().append(nn.Softmax(-1) if broken else nn.Identity()))


@bug("zero_grad|accumulate|add up")
def zero_grad_forgotten(broken: bool) -> ClassicRun:
    return run_of(models.classifier(), zeroes_gradients=not broken)


@bug(ROWS + "|softmax")
def softmax_over_rows(broken: bool) -> ClassicRun:
    return run_of(models.SoftmaxOverRows(broken))


@bug(ROWS + "|view|transpose")
def view_instead_of_transpose(broken: bool) -> ClassicRun:
    return run_of(models.ViewForTranspose(broken), class_sequences())


@bug(ROWS)
def batch_first_forgotten(broken: bool) -> ClassicRun:
    return run_of(models.BatchFirst(broken), class_sequences())


@bug("detach|graph is cut|no gradient|body")
def graph_cut(broken: bool) -> ClassicRun:
    return run_of(models.GraphCut(broken))


@bug("frozen|freez|requires_grad")
def layer_frozen_by_accident(broken: bool) -> ClassicRun:
    model = models.classifier()
    model[0].requires_grad_(not broken)
    return run_of(model)


@bug("regist|not (a )?parameters? of|ModuleList|not in the optimizer|never (learn|train|updat)")
def layers_in_a_plain_list(broken: bool) -> ClassicRun:
    return run_of(models.PlainList(broken))


@bug("dead|zero gradient|exactly zero|outputs zero|sparsity|collapse")
def dead_relu(broken: bool) -> ClassicRun:
    model = models.classifier()
    if broken:
        nn.init.constant_(model[0].bias, -100.0)
    return run_of(model)


@bug("confident|initiali[sz]|untrained|too large|ln ?\\(")
def over_confident_initialization(broken: bool) -> ClassicRun:
    model = models.classifier(hidden=256)
    if broken:
        nn.init.normal_(model[2].weight, std=1.0)
    return run_of(model)


@bug("nan|not finite|non-finite|inf\\b")
def nan_gradient_after_some_steps(broken: bool) -> ClassicRun:
    def loss(output: tuple[Tensor, Tensor], targets: Tensor) -> Tensor:
        return F.cross_entropy(output[0], targets) + output[1]

    return run_of(models.Gates(broken), loss=loss)


@bug("in.?place|changes? (its|the) (batch|input)|modif")
def batch_changed_in_place(broken: bool) -> ClassicRun:
    return run_of(models.InPlace(broken))


@bug("norm")
def layer_never_called(broken: bool) -> ClassicRun:
    return run_of(models.UnusedNorm(broken))


@bug("feature|no influence|ignores? (part|some)|without influence")
def feature_without_influence(broken: bool) -> ClassicRun:
    return run_of(models.TwoTowers(broken))


@bug("time step|position|no influence|without influence|ignores? (part|some)")
def time_step_without_influence(broken: bool) -> ClassicRun:
    return run_of(models.FirstStepOnly(broken), class_sequences())


@bug("mask")
def mask_without_influence(broken: bool) -> ClassicRun:
    return run_of(models.MaskIgnored(broken), padded_texts())


@bug("eval|running stat|batch ?norm")
def batch_norm_in_eval_mode(broken: bool) -> ClassicRun:
    """Its running statistics are those of a new layer, and the inputs are far from them."""
    model = nn.Sequential(nn.BatchNorm1d(WIDTH), *models.classifier())
    batches = [(30 + 20 * x, y) for x, y in class_rows()]
    model[0].train(not broken)
    return run_of(model, batches)


@bug("dropout|random|determin")
def dropout_in_evaluation(broken: bool) -> ClassicRun:
    return run_of(models.DropoutAlwaysOn(broken))


@bug("broadcast|shape")
def broadcast_loss(broken: bool) -> ClassicRun:
    model = nn.Sequential(nn.Linear(WIDTH, 32), nn.ReLU(), nn.Linear(32, 1))
    return run_of(model, regression_rows(), lambda out, y: F.mse_loss(out if broken else out.squeeze(-1), y))


@bug("optimi[sz]er")
def optimizer_of_the_old_head(broken: bool) -> ClassicRun:
    model = models.classifier()
    new = nn.Linear(32, CLASSES)
    before = torch.optim.Adam(model.parameters(), lr=3e-3)
    model[2] = new
    return run_of(model, optimizer=before if broken else torch.optim.Adam(model.parameters(), lr=3e-3))
