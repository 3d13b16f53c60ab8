"""Translates legacy keys, and those of transformers before 5, into the keys of the schema."""

from trainer.config.layers import ConfigProblem, Layer, Source, Tree

RENAMED = {
    "training.epochs": "training.num_train_epochs",
    "training.evaluation_strategy": "training.eval_strategy",
    "training.per_device_train_batch_size": "training.batch_size",
    "training.per_device_eval_batch_size": "training.eval_batch_size",
    "training.gradient_clip_norm": "training.max_grad_norm",
    "training.freeze_encoder": "model.freeze_encoder",
    "training.freeze_feature_encoder": "model.freeze_feature_encoder",
    "training.group_by_length": "dataloader.group_by_length",
    "training.dataloader_num_workers": "dataloader.num_workers",
    "training.dataloader_pin_memory": "dataloader.pin_memory",
    "training.dataloader_prefetch_factor": "dataloader.prefetch_factor",
    "training.output_dir": "output.dir",
    "model.chunk": "model.chunk_size",
}

DROPPED = {
    "training.save_safetensors": "weights are always saved as safetensors, including tied weights",
    "training.logging_dir": "TensorBoard files are always written to logs/ in output.dir",
    "training.overwrite_output_dir": "a run never overwrites another run; use --resume or another output.dir",
    "training.remove_unused_columns": "the collator always gets every column",
}


def translate(layer: Layer) -> Layer:
    """The same layer with the keys of the schema, without empty sections."""
    tree: Tree = {key: dict(value) if isinstance(value, dict) else value for key, value in layer.tree.items()}
    tree = {key: value for key, value in tree.items() if value is not None}
    sources, problems, notices = dict(layer.sources), list(layer.problems), list(layer.notices)
    for old, new in RENAMED.items():
        problems += rename(tree, sources, old, new)
    for old, reason in DROPPED.items():
        if pop_key(tree, old) is not ABSENT:
            notices.append(f"{sources.pop(old)}: {old} is not needed: {reason}")
    return Layer(tree, sources, tuple(problems), tuple(notices))


ABSENT = object()


def pop_key(tree: Tree, key: str) -> object:
    """Removes section.word from the tree and gives its value."""
    section, _, word = key.partition(".")
    keys = tree.get(section)
    return keys.pop(word, ABSENT) if isinstance(keys, dict) else ABSENT


def rename(tree: Tree, sources: dict[str, Source], old: str, new: str) -> list[ConfigProblem]:
    value = pop_key(tree, old)
    if value is ABSENT:
        return []
    source = sources.pop(old)
    section, _, word = new.partition(".")
    keys = tree.setdefault(section, {})
    if isinstance(keys, dict) and keys.get(word, value) != value:
        return [ConfigProblem(source, old, f"is {value!r}, but {new}, the same setting, is {keys[word]!r}; keep one")]
    if isinstance(keys, dict):
        keys[word] = value
        sources[new] = source
    return []
