"""Generative models as their authors write them: the target is the input, and a loss may draw noise."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.zoo.registry import Facts, setup

WIDTH, LATENT = 16, 4


def low_rank_rows(rows: int = 512) -> torch.Tensor:
    """Vectors near a plane of four dimensions."""
    return torch.tanh(torch.randn(rows, LATENT) @ torch.randn(LATENT, WIDTH)) + 0.05 * torch.randn(rows, WIDTH)


def mlp(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for a, b in pairwise(widths):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


@setup
def gan() -> Facts:
    """Points on a ring; the step trains the discriminator, then the generator, and returns the discriminator's loss."""
    angle = 2 * math.pi * torch.rand(512)
    ring = torch.stack([angle.cos(), angle.sin()], -1) + 0.05 * torch.randn(512, 2)
    loader = DataLoader(TensorDataset(ring), batch_size=64, shuffle=True)
    model = nn.ModuleDict({"generator": mlp(8, 32, 32, 2), "discriminator": mlp(2, 32, 32, 1)})
    generator, discriminator = model["generator"], model["discriminator"]
    adam_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    adam_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    bce = nn.BCEWithLogitsLoss()

    def training_step(batch: list[torch.Tensor]) -> torch.Tensor:
        (real,) = batch
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        fake = generator(torch.randn(len(real), 8))
        d_loss = bce(discriminator(real), ones) + bce(discriminator(fake.detach()), zeros)
        adam_d.zero_grad()
        d_loss.backward()
        adam_d.step()
        g_loss = bce(discriminator(fake), ones)
        adam_g.zero_grad()
        g_loss.backward()
        adam_g.step()
        return d_loss.detach()

    return {"model": model, "train_batches": loader, "training_step": training_step}


class VAE(nn.Module):
    """Returns the reconstruction's logits with mean and log-variance of the latent."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = mlp(WIDTH, 64, 2 * LATENT), mlp(LATENT, 64, WIDTH)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean, log_variance = self.encoder(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(z), mean, log_variance


@setup
def vae() -> Facts:
    """Binary patterns; a sum of cross-entropy and KL over the batch, as in pytorch/examples."""
    images = (low_rank_rows() > 0).float()
    loader = DataLoader(TensorDataset(images, torch.zeros(512)), batch_size=64, shuffle=True)
    model = VAE()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        x, _ = batch
        logits, mean, log_variance = model(x)
        kl = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return F.binary_cross_entropy_with_logits(logits, x, reduction="sum") + kl

    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


class VQVAE(nn.Module):
    """A codebook of 16 unit vectors, as in ViT-VQGAN; gradients pass the rounding straight through."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = mlp(WIDTH, 32, LATENT), mlp(LATENT, 32, WIDTH)
        self.codebook = nn.Embedding(16, LATENT)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        z, codes = F.normalize(self.encoder(x), dim=-1), F.normalize(self.codebook.weight, dim=-1)
        code = codes[(z @ codes.T).argmax(-1)]
        commitment = F.mse_loss(code, z.detach()) + 0.25 * F.mse_loss(code.detach(), z)
        return self.decoder(z + (code - z).detach()), commitment


@setup
def vq_vae() -> Facts:
    """Reconstruction with a discrete code; codes that no row is near get no gradient in a step."""
    rows = low_rank_rows()
    batches = [{"x": part} for part in rows.split(64)]
    model = VQVAE()

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        out, commitment = model(batch["x"])
        return F.mse_loss(out, batch["x"]) + commitment

    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    return {"model": model, "train_batches": batches, "compute_loss": compute_loss, "optimizer": optimizer}


class Denoiser(nn.Module):
    """The noise in a row, from the row and the time."""

    def __init__(self) -> None:
        super().__init__()
        self.time, self.net = nn.Embedding(100, 16), mlp(WIDTH + 16, 128, 128, WIDTH)

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return self.net(torch.cat([x, self.time(t)], -1))


@setup
def ddpm() -> Facts:
    """Diffusion: each loss draws a time and a noise of its own for every row."""
    loader = DataLoader(TensorDataset(low_rank_rows()), batch_size=128, shuffle=True, drop_last=True)
    alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.1, 100), 0)
    model = Denoiser()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        x = batch[0]
        t = torch.randint(0, 100, (len(x),))
        noise, alpha = torch.randn_like(x), alphas[t][:, None]
        return F.mse_loss(model(alpha.sqrt() * x + (1 - alpha).sqrt() * noise, t), noise)

    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    facts = {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}
    return {**facts, "total_steps": 2000}
