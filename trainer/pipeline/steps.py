"""The pipeline steps from a manifest to charts; each one reuses what is up to date."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from diagnose.common.progress import log_line
from trainer.data.columns import configured_columns
from trainer.data.manifest import read_rows
from trainer.data.subset import Subset
from trainer.paths import clean_manifest
from trainer.pipeline.stamps import digest_of, file_list_digest, is_current, write_stamp

if TYPE_CHECKING:
    from trainer.config import Config, Resolved
    from trainer.evaluation.evaluate import Scores
    from trainer.loop.guard.protocol import GuardProtocol

SPLITS = ("train", "dev", "test")


@dataclass
class StepCounter:
    """Numbers the steps: [2/6] Train."""

    total: int
    done: int = 0

    def next(self, title: str) -> None:
        self.done += 1
        log_line(f"[{self.done}/{self.total}] {title}")


def prepare_step(config: "Config") -> Path:
    """Clean the manifest; the path of the clean one."""
    from trainer.data.prepare import needed_texts, prepare_for

    source = config.manifest
    clean = clean_manifest(source)
    rows = read_rows(source, columns=configured_columns(config))
    audio = [config.paths.data_root / row["audio_path"] for row in rows if "audio_path" in row]
    digest = digest_of(rows, file_list_digest(audio), config.audio, needed_texts(config))
    stamp = clean.with_name(f".{clean.name}.stamp.json")
    if is_current(stamp, digest, [clean]):
        log_line(f"      {clean} is up to date")
        return clean
    report = prepare_for(config, clean)
    write_stamp(stamp, digest)
    log_line(f"      {report.rows_in:,} rows in, {report.rows_out:,} out: {clean}")
    return clean


def split_step(config: "Config", clean: Path) -> None:
    """Split the clean manifest by video."""
    from trainer.data.split import split

    folder, group = config.splits, config.data.group_column
    digest = digest_of(clean, group)
    stamp = folder / ".split.stamp.json"
    if is_current(stamp, digest, [folder / f"{name}.csv" for name in SPLITS]):
        log_line(f"      {folder} is up to date")
        return
    report = split(clean, folder, group, columns=configured_columns(config))
    write_stamp(stamp, digest)
    log_line("      " + ", ".join(f"{name} {part.rows:,}" for name, part in report.parts.items()) + f" rows: {folder}")


def data_step(config: "Config") -> None:
    """Prepare and split, unless the configuration brings splits of its own."""
    if config.data.manifest_dir is not None:
        log_line(f"      using the existing splits in {config.splits}")
        return
    split_step(config, prepare_step(config))


def train_step(
    resolved: "Resolved", epochs: float | None = None, subset: Subset = None, guard: "GuardProtocol | None" = None
) -> Path:
    """Train; resume an earlier run with the same settings and data, or reuse it if it was finished."""
    from trainer.loop.run import train
    from trainer.models.bundle import RESOLVED

    config = resolved.config
    folder = config.output.dir
    digest = digest_of(resolved.to_yaml(), epochs, subset, *(config.splits / f"{name}.csv" for name in SPLITS[:2]))
    stamp = folder / ".train.stamp.json"
    same = is_current(stamp, digest, [])
    if same and (folder / "train_results.json").exists():
        log_line(f"      {folder} is already trained")
        return folder
    (folder / "train_results.json").unlink(missing_ok=True)
    write_stamp(stamp, digest)
    # The command to resume names this file, which has all values.
    complete = replace(resolved, path=folder / RESOLVED, sources={})
    try:
        result = train(complete, resume="auto" if same else None, epochs=epochs, subset=subset, guard=guard)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{stop}, or run the same command again") from stop
    log_line("\n".join(f"      {line}" for line in str(result).splitlines()))
    return folder


def evaluate_step(config: "Config", tests: dict[str, Path | None], subset: Subset = None) -> list["Scores"]:
    """Score the trained model on test files (None: its test split), keyed by the suffix of the result."""
    from trainer.evaluation.evaluate_directory import evaluate_on, load_run

    folder, output = config.output.dir, config.paths.output_dir / "results"
    bundle = load_run(folder)
    return [evaluate_on(bundle, folder.name + suffix, path, output, subset) for suffix, path in tests.items()]


def charts_step(
    configs: Sequence["Config"], scores: Sequence["Scores"], folder: Path | None = None
) -> tuple[Path, ...]:
    """Draw the charts of these runs, by default beside the outputs of the first one."""
    from trainer.evaluation.charts import draw
    from trainer.evaluation.run_history import read_result, read_run

    results = [read_result(one.metrics_path) for one in scores]
    folder = folder or configs[0].paths.output_dir / "charts"
    return draw([read_run(config.output.dir) for config in configs], results, folder)


def require_different_folders(configs: Sequence["Config"]) -> None:
    """Two runs in one folder would overwrite each other."""
    folders = [config.output.dir.resolve() for config in configs]
    twice = next((folder for folder in folders if folders.count(folder) > 1), None)
    if twice:
        raise InputError(f"two configurations have the output.dir {twice}; set a different one for each")
