"""Fixed seeds for what measures, and every random state put back afterwards: the run that follows must not notice."""

import importlib
import random
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

Restore = Callable[[], None]
# A fact that was renamed keeps the random numbers of its former name: what was measured with them still holds.
FORMER_NAMES = {
    "batch_drawing": "drawing", "collated_sample": "collation", "evaluation_twice": "evaluated",
    "extreme_batches": "extremes", "item_reading": "reading", "pair_tests": "pair_relations",
    "rate_trial_setup": "rate_ground", "relabeled_rows": "redrawn_labels", "silent_clip_batch": "silent_batch",
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
    """Imports torch if it can be: it draws a random seed on import, too late to seed whoever imports it first."""
    with suppress(Exception):  # a torch that cannot be imported is for the environment's probes to tell
        importlib.import_module("torch")


def seed_all(seed: int) -> None:
    """Seeds python's, numpy's and torch's generators for good: for a process that is nobody else's."""
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
    """Runs the body under the seed of `name` and restores python's, numpy's and torch's generators; imports neither."""
    restores = [_seed_python(seed_for(name))]
    if "numpy" in sys.modules:
        restores.append(_seed_numpy(sys.modules["numpy"], seed_for(name)))
    if "torch" in sys.modules:
        restores.append(_seed_torch(sys.modules["torch"], seed_for(name)))
    try:
        yield
    finally:
        for restore in restores:
            restore()


def _seed_python(seed: int) -> Restore:
    state = random.getstate()
    random.seed(seed)
    return lambda: random.setstate(state)


def _seed_numpy(numpy: Any, seed: int) -> Restore:
    state = numpy.random.get_state()
    numpy.random.seed(seed)
    return lambda: numpy.random.set_state(state)


def _seed_torch(torch: Any, seed: int) -> Restore:
    """Never torch.manual_seed: before CUDA wakes up it queues the seed, and the queue cannot be taken back."""
    cpu, initial, cuda_awake = torch.get_rng_state(), torch.initial_seed(), torch.cuda.is_initialized()
    cuda = torch.cuda.get_rng_state_all() if cuda_awake else []
    torch.default_generator.manual_seed(seed)
    if cuda_awake:
        torch.cuda.manual_seed_all(seed)

    def restore() -> None:
        torch.set_rng_state(cpu)
        if cuda_awake:
            torch.cuda.set_rng_state_all(cuda)
        elif torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(initial)

    return restore
