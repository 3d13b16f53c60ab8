"""Findings about an error that was raised, with the fix that its text suggests."""

from collections.abc import Mapping

from diagnose import Finding
from diagnose.engine.types import Number
from probes.facts.core.types import Failure
from probes.reporting.code_finding import code_finding

# What was running, then words of the error's message or the name of its class, with the fix; the first that fits.
CURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "DataLoader": (
        ("KeyError", "return that key from the dataset; with a transformers Trainer set remove_unused_columns=False"),
        ("FileNotFoundError", "correct the path, or remove the row from the manifest"),
        ("TimeoutError", "find what blocks the dataset: a lock, a pipe, or a download"),
    ),
    "forward": (
        ("mask_length", "shorten mask_time_length, or drop rows with fewer frames than it"),
        ("kernel size", "drop rows that are shorter than the kernel, or pad them"),
        (
            "more than 1 value per channel",
            "drop the last batch if it has one row (drop_last=True): batch norm needs two",
        ),
        (
            "input_ids or",
            "let the collator make decoder_input_ids: DataCollatorForSeq2Seq(model=…); label smoothing needs them",
        ),
        ("between 0 and 1", "use binary_cross_entropy_with_logits without a sigmoid"),
        ("out of bounds", "set the head size to the number of classes: labels must be between 0 and num_classes - 1"),
        ("out of range", "call model.resize_token_embeddings(len(tokenizer)), or use the model's tokenizer"),
        ("unexpected keyword", "return only keys that forward accepts: drop the extra one in the collator"),
        ("missing", "return the key that forward requires from the collator"),
        ("same device", "move the batch and the whole model to the same device"),
        ("out of memory", "halve the batch size and double gradient_accumulation_steps"),
        ("allocate memory", "halve the batch size and double gradient_accumulation_steps"),
        ("same dtype", "use one dtype for weights and batch: float32, with autocast around the forward pass"),
        ("expected scalar type", "use torch.long for labels and the dtype of the weights for inputs"),
        ("exceed", "truncate or drop rows longer than max_position_embeddings"),
        ("channels", "use the feature extractor of this model: mel bins and channels must match"),
        ("target batch_size", "flatten logits and labels in the same way: one row of logits per label"),
        ("shape", "make the input size match this module"),
        ("size", "make the input size match this module"),
    ),
    "backward": (
        (
            "does not require grad",
            "keep the loss attached to trainable parameters: no detach(), item(), no_grad, and not all frozen",
        ),
        (
            "modified by an inplace operation",
            "replace the in-place operation (x += y, x[i] = y) with one that creates a new tensor",
        ),
        ("second time", "build a new graph in every step: detach() every tensor kept from an earlier step"),
    ),
    "training_step": (
        ("second time", "detach() the tensors kept between calls of training_step"),
        ("does not require grad", "remove the no_grad or detach() from training_step"),
        ("inplace", "detach() tensors that are kept across an update"),
    ),
    "second step": (
        ("second time", "detach() the state that {module} keeps between steps, or create it in every forward pass"),
        ("inplace", "detach() the state that {module} keeps between steps: its graph uses old weights"),
        ("size", "reset the state that {module} keeps between steps: it has the size of the previous batch"),
    ),
    "distributed step": (
        (
            "finished reduction",
            "pass find_unused_parameters=True, or use every trainable parameter in the loss",
        ),
        (
            "marked ready twice",
            "set use_reentrant=False for gradient checkpointing, or _set_static_graph() of the wrapper",
        ),
        ("inplace", "pass broadcast_buffers=False, or run the model once per step"),
    ),
    "generate": (
        (
            "forced_decoder_ids",
            "set model.generation_config.forced_decoder_ids = None and give language and task instead",
        ),
        ("no_timestamps_token_id", "set model.generation_config.no_timestamps_token_id to the id of <|notimestamps|>"),
        ("decoder_start_token_id", "set model.config.decoder_start_token_id and model.generation_config's"),
        ("model_kwargs", "pass only the model's inputs to generate: remove the key named here"),
        ("lang_to_id", "set lang_to_id and task_to_id in generation_config, as in a multilingual Whisper"),
        ("index out of range", "keep generation_max_length within the decoder's max_position_embeddings"),
        ("maximum", "keep generation_max_length within the decoder's max_position_embeddings"),
    ),
    "save": (
        ("generation", "correct this setting in model.generation_config"),
        ("share memory", "list the shared tensors in _tied_weights_keys, or save with safetensors.torch.save_model"),
        ("shared", "list the shared tensors in _tied_weights_keys, or save with safetensors.torch.save_model"),
        ("json", "keep only JSON-serializable values in the config"),
    ),
}


def fix_of(failure: Failure, running: str, default: str) -> str:
    """The fix for this error in what was running; `default` where its text does not say."""
    text = failure.message.lower()
    cures = (cure for words, cure in CURES.get(running, ()) if words in text or words == failure.error)
    return next((cure.format(module=failure.module or "the model") for cure in cures), default)


def failure_finding(
    failure: Failure, running: str, where: str, message: str, default: str, /, **measured: Number
) -> Finding:
    """A finding at the line that raised; `default` is the fix where the error's text suggests none."""
    fix = fix_of(failure, running, default)
    return code_finding(failure.line, where, message, fix, error=failure.error, **measured, trace=failure.trace)
