"""Reinforcement learning: no labels, and data that the policy itself makes."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical

from tests.zoo.by_hand.generative import mlp
from tests.zoo.registry import Facts, setup

STATE, ACTIONS = 6, 4


@setup
def logged_policy_gradient() -> Facts:
    """Episodes that a random policy logged, with advantages around zero; the loss may have either sign."""
    right = torch.randn(STATE, ACTIONS)
    states = torch.randn(1024, STATE)
    actions = torch.randint(0, ACTIONS, (1024,))
    rewards = (states @ right).gather(1, actions[:, None]).squeeze(-1) + 0.3 * torch.randn(1024)
    parts = zip(states.split(64), actions.split(64), rewards.split(64), strict=True)
    batches = [{"states": s, "actions": a, "advantages": (r - r.mean()) / r.std()} for s, a, r in parts]
    model = mlp(STATE, 32, ACTIONS)

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        policy = Categorical(logits=model(batch["states"]))
        surrogate = -(policy.log_prob(batch["actions"]) * batch["advantages"]).mean()
        return surrogate - 0.01 * policy.entropy().mean()

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "compute_loss": compute_loss, "optimizer": optimizer}


class ActorCritic(nn.Module):
    """Logits of the actions and the value of the state."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(STATE, 32), nn.Tanh())
        self.actor, self.critic = nn.Linear(32, ACTIONS), nn.Linear(32, 1)

    def forward(self, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(state)
        return self.actor(hidden), self.critic(hidden).squeeze(-1)


@setup
def simulated_actor_critic() -> Facts:
    """Each step simulates eight moves from the start states of its batch; it returns minus the mean reward."""
    right, push = torch.randn(STATE, ACTIONS), 0.3 * torch.randn(ACTIONS, STATE)
    starts = [torch.randn(32, STATE) for _ in range(40)]
    model = ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def training_step(state: torch.Tensor) -> torch.Tensor:
        log_probs, values, rewards = [], [], []
        for _ in range(8):
            logits, value = model(state)
            policy = Categorical(logits=logits)
            action = policy.sample()
            log_probs.append(policy.log_prob(action))
            values.append(value)
            rewards.append((state @ right).gather(1, action[:, None]).squeeze(-1))
            state = 0.9 * state + push[action]
        returns = torch.stack(rewards).flip(0).cumsum(0).flip(0)
        advantage = returns - torch.stack(values)
        loss = (-torch.stack(log_probs) * advantage.detach()).mean() + 0.5 * advantage.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return -torch.stack(rewards).mean()

    return {"model": model, "train_batches": starts, "training_step": training_step, "optimizer": optimizer}
