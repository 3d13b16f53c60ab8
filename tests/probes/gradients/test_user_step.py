"""The user's own training step: read as it is, and nothing of it is left behind."""

import gc
import weakref

import pytest
import torch
from torch._subclasses import FakeTensor
from torch.nn.utils import clip_grad_norm_

from probes.faults.kit.gradient_changes import with_own_step
from probes.healthy import healthy
from tests.probes.gradients.support import look, told


def usual(model, optimizer, loss):
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


def clears_afterwards(model, optimizer, loss):
    loss().backward()
    clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)


def adds_up_micro_batches(model, optimizer, loss):
    optimizer.zero_grad()
    for _ in range(2):
        (loss() / 2).backward()
    optimizer.step()


def casts_forward_alone(model, optimizer, loss):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss()
    value.backward()
    optimizer.step()


def gives_a_closure(model, optimizer, loss):
    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)


def casts_everything(model, optimizer, loss):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        usual(model, optimizer, loss)


def casts_backward(model, optimizer, loss):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss().backward()
    optimizer.step()


def forgets_backward(model, optimizer, loss):
    loss()


def steps_first(model, optimizer, loss):
    value = loss()
    optimizer.step()
    value.backward()


def clips_and_never_clears(model, optimizer, loss):
    loss().backward()
    clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (usual, []),
        (clears_afterwards, []),
        (adds_up_micro_batches, []),
        (casts_forward_alone, []),
        (gives_a_closure, []),
        (casts_everything, [("GRD016", "error")]),
        (casts_backward, [("GRD016", "warning")]),
        (forgets_backward, [("GRD014", "error")]),
        (clips_and_never_clears, [("GRD013", "error")]),
    ],
)
def test_a_step_of_ones_own_is_read_as_it_is(body, expected):
    report = look(with_own_step(healthy("classifier"), body))
    assert told(report) == expected
    assert {f"GRD0{n}" for n in range(13, 20)} <= {outcome.probe for outcome in report.outcomes if outcome.ran}


def test_an_update_before_backward_is_the_root_of_what_follows():
    (root,) = look(with_own_step(healthy("classifier"), steps_first)).diagnosis
    assert root.probe == "GRD015" and "ran before backward()" in root.finding.message


def test_a_scaled_gradient_has_to_be_unscaled_before_it_is_clipped():
    scaler = torch.amp.GradScaler("cpu")

    def step(unscales):
        def body(model, optimizer, loss):
            optimizer.zero_grad()
            scaler.scale(loss()).backward()
            if unscales:
                scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()

        return with_own_step(healthy("classifier"), body) | {"grad_scaler": scaler}

    assert told(look(step(True))) == []
    (finding,) = look(step(False)).findings
    assert finding.probe == "GRD017" and "while still scaled by 65536" in finding.message
    assert scaler.get_scale() == 65536.0


def test_what_a_step_carries_over_is_named_at_its_second_call_and_put_back():
    kept, count = [], 0
    facts = healthy("classifier")
    model, optimizer = facts["model"], facts["optimizer"]

    def training_step(batch):
        nonlocal count
        count += 1
        loss = facts["compute_loss"](model, batch) + (0 * kept[-1] if kept else 0)
        kept.append(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    (finding,) = look(facts | {"training_step": training_step}).findings
    assert finding.probe == "GRD019" and finding.measured["call"] == 2
    assert count == 0 and not kept


def test_nothing_is_left_of_the_own_steps():
    facts = with_own_step(healthy("hybrid"), usual)
    weights = {name: value.clone() for name, value in facts["model"].state_dict().items()}
    state, backward = torch.get_rng_state(), torch.autograd.backward
    look(facts)
    assert all(torch.equal(value, weights[name]) for name, value in facts["model"].state_dict().items())
    assert not facts["optimizer"].state and not facts["optimizer"]._optimizer_step_pre_hooks
    assert torch.equal(torch.get_rng_state(), state) and torch.autograd.backward is backward
    assert all(parameter.grad is None for parameter in facts["model"].parameters())


def census():
    """Bytes of every storage that some tensor looks at."""
    gc.collect()
    tensors = [one for one in gc.get_objects() if issubclass(type(one), torch.Tensor)]
    real = [one for one in tensors if not isinstance(one, FakeTensor)]  # those hold no memory
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in real}.values())


def test_at_most_one_copy_of_weights_and_state_is_held_and_it_is_gone_afterwards(monkeypatch):
    facts = with_own_step(healthy("hybrid"), usual)
    batch = next(iter(facts["train_batches"]))
    facts["training_step"](batch)  # the optimiser has a state to keep
    facts["optimizer"].zero_grad()
    tensors = [*facts["model"].state_dict().values(), *_tensors(facts["optimizer"].state)]
    weights = sum(one.untyped_storage().nbytes() for one in tensors)
    live, most, clone = [0], [0], torch.UntypedStorage.clone

    def counted(storage):
        copy = clone(storage)
        live[0] += copy.nbytes()
        most[0] = max(most[0], live[0])
        weakref.finalize(copy, lambda size: live.__setitem__(0, live[0] - size), copy.nbytes())
        return copy

    monkeypatch.setattr(torch.UntypedStorage, "clone", counted)
    before = census()
    assert look(facts | {"train_batches": [batch]}).verdict == "go"
    assert census() == before
    batches = 3 * sum(one.untyped_storage().nbytes() for one in batch.values())  # copies of it are used up
    assert 0 < most[0] <= weights + batches and live[0] == 0


def _tensors(state):
    return [value for held in state.values() for value in held.values() if isinstance(value, torch.Tensor)]
