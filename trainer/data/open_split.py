"""Opens a split of a configuration."""

from diagnose.common.errors import InputError
from trainer.config.schema import Config
from trainer.data.augmentation import training_augmentation
from trainer.data.columns import configured_columns
from trainer.data.dataset import SpeechDataset, SplitDataset, TextDataset
from trainer.data.manifest import read_readable_rows, read_rows
from trainer.data.prepare import needed_texts
from trainer.data.subset import Subset, rows_of_split, subset_text


def open_split(config: Config, name: str, subset: Subset = None, readable_only: bool = False) -> SplitDataset:
    """The train, dev or test set of a configuration; a subset is its first rows.

    `readable_only`: rows that cannot be read are left out, for a diagnosis that names them and looks at the others.
    """
    rows = rows_of_split(subset, name)
    path = config.splits / f"{name}.csv"
    if not path.exists():
        raise InputError(f"{path}: there is no {name} set; run `train split`, or correct paths.splits_dir")
    if rows is not None and rows < 1:
        raise InputError(f"--subset {subset_text(subset)}: expected at least 1 row; give a larger number")
    needed = needed_texts(config)
    if readable_only and (found := read_readable_rows(path, configured_columns(config)))[0] and found[1]:
        kept = found[0][:rows]
    else:
        speech = ("audio_path",) * (config.model.type != "mt5")
        kept = read_rows(path, (*speech, *needed), configured_columns(config))[:rows]
    if config.model.type == "mt5":
        return TextDataset(kept, config)
    dataset = SpeechDataset(kept, config.paths.data_root, config.audio, needed)
    dataset.augmentation = training_augmentation(config) if name == "train" else None
    return dataset
