"""The facts a person may give, and the nearest name to one that was misspelt."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

ROOTS: Mapping[str, str] = {
    "model": "the model that will be trained",
    "train_batches": "batches of the training set; must be iterable repeatedly",
    "eval_batches": "batches of the evaluation set; must be iterable repeatedly",
    "labels_of": "labels_of(batch): the labels; by default batch['labels'] or the second of a pair",
    "inputs_of": "inputs_of(batch): what the model reads",
    "train_dataset": "the training set, before collation",
    "eval_dataset": "the evaluation set, before collation",
    "collate": "collate(items): a batch",
    "train_rows": "the manifest's training rows, as dicts",
    "eval_rows": "the manifest's evaluation rows, as dicts",
    "audio_root": "the folder that audio paths are relative to",
    "compute_loss": "compute_loss(model, batch); by default the output's loss",
    "training_step": "training_step(batch): forward, backward, update",
    "accumulated_step": "accumulated_step(batches): one update from several batches",
    "optimizer": "the optimizer, or a list of optimizers",
    "scheduler": "the learning rate scheduler",
    "total_steps": "the number of updates of the run",
    "tokenizer": "the tokenizer of the labels",
    "feature_extractor": "the feature extractor of the audio",
    "generate": "generate(model, batch): ids",
    "decode": "decode(ids): texts",
    "compute_metrics": "compute_metrics(predictions, labels): metrics",
    "evaluate": "evaluate(): the metrics of the user's own evaluation",
    "precision": "fp32, fp16 or bf16",
    "grad_scaler": "the gradient scaler",
    "flops_per_second": "the speed of the device in matrix products, for estimating the duration",
    "device_memory": "the memory of the device to train on, such as 4GB; by default that of this machine's device",
    "device_name": "the GPU to train on by name, such as T4 or H100: its memory and its speed",
    "training_arguments": "the trainer's arguments, an object or a dict",
    "seed": "the run's seed",
    "trainable": "name patterns of the parameters to train",
    "fresh": "name patterns of the newly initialized parameters",
    "missing_keys": "parameters missing from the loaded checkpoint",
    "unfrozen_later": "name patterns of the modules that are frozen now and trained later",
    "untied": "name patterns of the parameters that must not share weights",
    "reference_loss": "the loss on the first batch before the model was edited",
    "processes": "the number of processes of the run",
    "rank_facts": "rank_facts(rank, processes): the facts of one rank, created inside its process group",
    "config": "the resolved configuration",
    "config_path": "the configuration's file",
    "trainer": "a transformers Trainer",
    "records": "diagnose.records.Records: the log of a run, step by step",
    "reference_records": "diagnose.records.Records: the log of a run that is known to be good",
    "digest_inputs": "diagnose.gate.digests.DigestInputs: the inputs of a receipt, and where it is stored",
}

# An empty list of these is an answer ("none"), not missing data.
MAY_BE_EMPTY = frozenset({"trainable", "fresh", "untied", "missing_keys", "unfrozen_later"})
# Of these, anything with a length of zero is empty, whatever its type.
COLLECTIONS = frozenset({"train_batches", "eval_batches", "train_dataset", "eval_dataset", "train_rows", "eval_rows"})


def nearest(name: str, known: Iterable[str]) -> str:
    """Suffix " (nearest: batch)" for an error message, or ""."""
    close = get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return f" (nearest: {close[0]})" if close else ""
