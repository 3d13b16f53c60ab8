"""Fixed seeds for measurements; every RNG state is restored afterwards, so that the run that follows is unchanged."""

import importlib
import random
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from diagnose.common.rng import save_rng_states

# A fact that was renamed keeps the random numbers of its former name: what was measured with them still holds. The scan
# draws the batches that the drawing drew.
FORMER_NAMES = {
    "batch_drawing": "drawing", "batch_scan": "drawing", "collated_sample": "collation",
    "evaluation_twice": "evaluated",
    "extreme_batches": "extremes", "item_reading": "reading", "pair_tests": "pair_relations",
    "relabeled_rows": "redrawn_labels", "silent_clip_batch": "silent_batch",
    "perturbed_losses": "loss_trials", "eval_forward": "rehearsal", "label_shift": "teaching",
    "swapped_target_loss": "pair_losses", "worker_draws": "draws", "precision_comparison": "precisions",
    "precision_comparison_all": "compared", "nan_search_result": "searched", "saved_model": "saved",
    "gradient_checkpointing_effect": "checkpointed", "gradient_checkpointing_step": "checkpointed_step",
    "free_generation": "free_output", "forced_generation": "steered_output", "generation_attempt": "spoken",
    "pretrained_generation": "trained_output", "teacher_forcing_gap": "agreement", "padding_effect": "padding",
    "user_step": "own_step", "distributed_evaluation": "group_evaluation", "distributed_step": "group_step",
    "training_pass": "training_trial", "label_influence_distance": "follow_distance",
    "layer_gradients": "gradient_depth", "manifest_pair_tests": "fits", "near_duplicate_texts": "near_texts",
    "near_duplicates_across_splits": "near_across", "split_statistics": "set_moments",
    "generation_rows": "speaking_scene", "audio_used": "reaching", "seed_repeats": "repeated",
    "gathered_logits": "kept_logits",
}  # fmt: skip


def import_torch() -> None:
    """Imports torch if it can be: it draws a random seed on import, too late for whoever imports it under a seed."""
    with suppress(Exception):  # a torch that cannot be imported is for the environment's probes to tell
        importlib.import_module("torch")


def seed_all(seed: int) -> None:
    """Seeds python's, numpy's and torch's generators and does not restore them: for a process of its own."""
    random.seed(seed)
    with suppress(ImportError):
        importlib.import_module("numpy").random.seed(seed)
    with suppress(ImportError):
        importlib.import_module("torch").manual_seed(seed)


def seed_for(name: str) -> int:
    """The same seed for the same name, on every machine and in every order."""
    return zlib.crc32(FORMER_NAMES.get(name, name).encode())


@contextmanager
def seeded(name: str) -> Iterator[None]:
    """Runs the body under the seed of `name` and restores all RNG states; imports neither numpy nor torch."""
    restore = save_rng_states()
    random.seed(seed_for(name))
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed_for(name))
    if "torch" in sys.modules:
        _seed_torch(sys.modules["torch"], seed_for(name))
    try:
        yield
    finally:
        restore()


def _seed_torch(torch: Any, seed: int) -> None:
    """Never torch.manual_seed: before CUDA is initialized it queues the seed, and the queue cannot be taken back."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
