"""The data audit: what it costs beside a plain read, what it finds of what was planted, and that engines agree."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl
import psutil
import soundfile
from rapidfuzz import fuzz, process

from diagnose.common.audio_headers import read_wav
from probes.facts.audio.waveform_stats import measure
from probes.facts.splits.near_duplicates import near_pairs
from tests.bench.report import Measured
from tests.support.planted_corpus import Planted, plant

CLIPS, SECONDS, RATE, ROUNDS = 400, 5, 16_000, 9
ROWS = 1_000_000
DIAGNOSE = (sys.executable, "-m", "diagnose", "data")


def ratios(plain: Callable[[], Any], ours: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """CPU seconds of each over those of a plain read, in turn; medians."""
    found: dict[str, list[float]] = {name: [] for name in ours}
    for _ in range(rounds):
        for name, function in ours.items():
            base = cpu_seconds(plain)
            found[name].append(cpu_seconds(function) / base)
    return {name: median(values) for name, values in found.items()}


def cpu_seconds(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def clips(folder: Path) -> list[str]:
    chance = np.random.default_rng(0)
    names = [str(folder / f"{number:04}.wav") for number in range(CLIPS)]
    for name in names:
        swell = np.abs(np.sin(np.arange(SECONDS * RATE) / RATE * chance.uniform(6, 18)))
        soundfile.write(name, 0.1 * swell * chance.normal(size=SECONDS * RATE), RATE, subtype="PCM_16")
    return names


def header() -> Measured:
    """The headers of 16-bit WAV files of five seconds."""
    return of_clips({"ratio": _header})


def pcm16() -> Measured:
    """Their samples; with marks and digest as the audit keeps them; and the way of most scripts."""
    from probes.facts.audio.decode_files import scan_file

    return of_clips({"ratio": _statistics, "ratio_with_fingerprint": scan_file, "soundfile_ratio": _soundfile})


def of_clips(ways: dict[str, Callable[[str], Any]]) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        names = clips(Path(folder))
        every = {name: partial(_each, way, names) for name, way in ways.items()}
        return Measured(ratios(partial(_each, _plain, names), every), f"{ROUNDS} rounds of {CLIPS} clips")


def _each(way: Callable[[str], Any], names: list[str]) -> None:
    for name in names:
        way(name)


def _plain(name: str) -> bytes:
    handle = os.open(name, os.O_RDONLY)
    try:
        return os.read(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)


def _header(name: str) -> Any:
    handle = os.open(name, os.O_RDONLY)
    try:
        return read_wav(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)


def _statistics(name: str) -> Any:
    return measure([np.frombuffer(_plain(name), "<i2", offset=44)], RATE, marked=False)


def _soundfile(name: str) -> Any:
    x, _ = soundfile.read(name)
    return x.min(), x.max(), x.mean(), x.std(), np.isfinite(x).all(), (np.abs(x) > 0.99).mean()


def write_texts(path: Path, rows: int) -> None:
    chance = random.Random(0)
    words = ["".join(chance.choices("abcdefghiklmnoprstuvy", k=chance.randint(2, 8))) for _ in range(5000)]
    signs = [word + chance.choice("àáạảãâầấăđêếôồốơờớưừứ") for word in words]
    with path.open("w", encoding="utf-8") as file:
        file.write("transcript\ttranslation\tduration\tspeaker_id\n")
        for number in range(rows):
            count = chance.randint(6, 16)
            texts = (" ".join(chance.choices(signs, k=count)), " ".join(chance.choices(words, k=count)))
            file.write(f"{texts[0]}\t{texts[1]}\t{0.4 * count + chance.random():.2f}\tspeaker{number % 700}\n")


def text_audit() -> Measured:
    """A million rows: read, and every check of a single text and of exact duplicates, over a plain read of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "manifest.tsv"
        write_texts(path, ROWS)
        plain = partial(path.read_bytes)
        found = ratios(plain, {"ours": lambda: audit_texts(path), "pandas": lambda: audit_with_pandas(path)}, 3)
        memory = subprocess.run(
            [sys.executable, "-c", f"from tests.bench.data import peak_of_a_command; peak_of_a_command({str(path)!r})"],
            capture_output=True,
            text=True,
            check=True,
        )
    return Measured(
        {
            "ratio": found["ours"],
            "pandas_ratio": found["pandas"],
            "over_pandas": found["ours"] / found["pandas"],
            "whole_command_gigabytes": float(memory.stdout.split()[-1]),
        },
        "3 rounds",
    )


def audit_texts(path: Path) -> int:
    """As the providers of `diagnose data` do it."""
    from probes.facts.corpus.manifest_rows import RowTable
    from probes.facts.corpus.text_columns import blank_texts, usual_texts
    from probes.facts.text.candidates import check_texts
    from probes.facts.text.speaking_rates import rates_of, stated_seconds
    from trainer.data.manifest_frame import open_manifest

    rows = RowTable(open_manifest(path), None, "train")
    checks = check_texts(rows)
    return checks.total + len([*blank_texts(rows), *usual_texts(rows)]) + rates_of(rows, stated_seconds(rows)).count


def audit_with_pandas(path: Path) -> int:
    """The same questions, asked as one does with pandas; broken encodings are only searched for, not understood."""
    import pandas as pd

    from probes.facts.text.text_checks import MARKUP

    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    found = 0
    for name in ("transcript", "translation"):
        text = frame[name]
        plain = text.str.strip()
        found += int(plain.isin(["", "nan", "None", "null"]).sum()) + int(text.str.contains(MARKUP).sum())
        found += int((text.str.normalize("NFC") != text).sum()) + int(
            text.str.contains("[\u200b-\u200f\ufeff\xa0]").sum()
        )
        found += int(text.str.contains("Ã.|â€|\ufffd").sum()) + int(plain.value_counts().iloc[0])
    letters = frame["transcript"].str.replace(r"\s+", "", regex=True).str.len()
    rate = letters / pd.to_numeric(frame["duration"], errors="coerce")
    return found + int((rate > 4 * rate.median()).sum())


def peak_of_a_command(path: str) -> None:
    """Gigabytes that `diagnose data` takes at the most."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*DIAGNOSE, path, "--store", folder, "-q"], check=False, stdout=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6)


def near_corpus(rows: int) -> list[str]:
    """Sentences, a tenth of them copies in which up to one letter in fourteen was changed."""
    chance = random.Random(rows)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(4000)]
    weights = [1 / (place + 3) for place in range(len(words))]
    base = [" ".join(chance.choices(words, weights, k=chance.randint(6, 16))) for _ in range(rows * 9 // 10)]
    for text in chance.choices(base, k=rows - len(base)):
        changed = list(text)
        for _ in range(chance.randint(1, max(1, len(changed) // 14))):
            place = chance.randrange(len(changed))
            changed[place] = chance.choice(("", letters[place % 26], changed[place] + "e"))
        base.append("".join(changed))
    chance.shuffle(base)
    return base


def near_duplicates() -> Measured:
    figures: dict[str, Any] = {}
    before = 0.0
    for rows in (20_000, 80_000, 320_000):
        texts = near_corpus(rows)
        start = time.process_time()
        found = near_pairs(texts, texts, 0.9)
        seconds = time.process_time() - start
        figures[str(rows)] = {"pairs": found.height, "cpu_seconds": seconds}
        if before:
            figures[str(rows)]["growth"] = seconds / before
        else:
            true, ours = brute(texts, 0.9), set(found.select("row", "text").iter_rows())
            shares = {"recall": len(ours & true) / len(true), "precision": len(ours & true) / len(ours)}
            figures[str(rows)] |= shares
        before = seconds
    return Measured(figures, "1 run")


def brute(texts: list[str], floor: float) -> set[tuple[int, int]]:
    pairs = set()
    for start in range(0, len(texts), 500):
        block = texts[start : start + 500]
        scores = process.cdist(block, texts, scorer=fuzz.ratio, score_cutoff=100 * floor, dtype=np.uint8)
        pairs |= {(int(start + a), int(b)) for a, b in zip(*np.nonzero(scores), strict=True) if start + a < b}
    return pairs


def planted(count: int = 1000, each: int = 10) -> Measured:
    """Every engine on the same planted corpus: what was named, what was named wrongly, and whether the bytes agree."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = plant(Path(folder) / "corpus", count, each)
        tables = {
            name: run(corpus, Path(folder) / name)
            for name, run in {
                "in_process": partial(audit, more=("--jobs", "1")),
                "jobs_2": partial(audit, more=("--jobs", "2")),
                "shards_merged": audit_in_shards,
                "ray": partial(audit, more=("--ray", "--jobs", "2")),
                "ray_with_a_worker_killed": audit_with_a_kill,
            }.items()
        }
        first = tables["in_process"]
        found = named(pl.read_csv(first))
    missed = sum(not checks <= found.get(place, set()) for place, checks in corpus.expected.items())
    # A copy on the other side of a split has its text there, too.
    false = sum(bool(checks - {"DAT036"}) for place, checks in found.items() if place not in corpus.expected)
    same = {name: int(table == first) for name, table in tables.items() if name != "in_process"}
    rows = len(corpus.expected)
    return Measured(
        {"files": count, "planted": rows, "found": rows - missed, "false_alarms": false, "same": same}, "1 run"
    )


def named(table: pl.DataFrame) -> dict[tuple[str, int], set[str]]:
    found: dict[tuple[str, int], set[str]] = {}
    for file, line, check in table.select("file", "line", "id").iter_rows():
        found.setdefault((file, line), set()).add(check)
    return found


def command(corpus: Planted, store: Path, *more: str) -> list[str]:
    return [*DIAGNOSE, str(corpus.train), "--eval", str(corpus.other), "--store", str(store), "-q", *more]


def audit(corpus: Planted, store: Path, more: tuple[str, ...] = ()) -> bytes:
    table = store.with_suffix(".csv")
    subprocess.run(command(corpus, store, "--findings", str(table), *more), check=False, stdout=subprocess.DEVNULL)
    return table.read_bytes()


def audit_in_shards(corpus: Planted, store: Path) -> bytes:
    for number in (1, 2, 3):
        subprocess.run(command(corpus, store, "--shard", f"{number}/3"), check=True, stdout=subprocess.DEVNULL)
    return audit(corpus, store, ("--merge",))


def audit_with_a_kill(corpus: Planted, store: Path) -> bytes:
    """One worker of Ray is killed while it measures."""
    table = store.with_suffix(".csv")
    running = subprocess.Popen(
        command(corpus, store, "--ray", "--jobs", "2", "--findings", str(table)), stdout=subprocess.DEVNULL
    )
    killed = False
    while running.poll() is None and not killed:
        workers = [one for one in psutil.Process(running.pid).children(recursive=True) if is_measuring(one)]
        if workers:
            workers[0].kill()
            killed = True
        time.sleep(0.01)
    running.wait()
    if not killed:
        raise RuntimeError("no worker of Ray was seen at work, so none was killed")
    return table.read_bytes()


def is_measuring(process: psutil.Process) -> bool:
    try:
        return " ".join(process.cmdline()).startswith("ray::measure")
    except psutil.Error:
        return False


MEASUREMENTS = {
    "header": header,
    "pcm16": pcm16,
    "text_audit": text_audit,
    "near_duplicates": near_duplicates,
    "planted": planted,
}
