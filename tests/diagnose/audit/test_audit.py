"""An audit of a bare manifest: what it finds, writes and keeps, and that engines agree to the byte."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile
from click.testing import CliRunner

from diagnose.audit.run_shards import run_shards
from diagnose.audit.types import AuditPlan, Measured
from diagnose.cli import main
from probes.facts.audio.decode_files import scan_file
from probes.facts.audio.file_record import pack, unpack
from probes.facts.audio.same_sounds import same_sounds
from tests.support.planted_corpus import COPIES, FAULTS, RATE, Planted, plant, voice


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return plant(tmp_path_factory.mktemp("corpus") / "made", 104, 3)


def audit(corpus: Planted, store: Path, *more: str) -> bytes:
    table = store.parent / f"{store.name}.csv"
    command = ["data", str(corpus.train), "--eval", str(corpus.other), "--store", str(store)]
    ran = CliRunner().invoke(main, [*command, "--findings", str(table), *more])
    assert ran.exit_code in (0, 1), ran.output
    return table.read_bytes() if table.exists() else ran.output.encode()


def test_all_that_was_planted_is_named_and_nothing_else_on_every_engine(corpus: Planted, tmp_path: Path) -> None:
    first = audit(corpus, tmp_path / "one", "--jobs", "1")
    found: dict[tuple[str, int], set[str]] = {}
    for file, line, check in pl.read_csv(first).select("file", "line", "id").iter_rows():
        found.setdefault((file, line), set()).add(check)
    missed = {place: checks - found.get(place, set()) for place, checks in corpus.expected.items()}
    assert not any(missed.values()), {place: checks for place, checks in missed.items() if checks}
    assert {place for place, checks in found.items() if checks - {"DAT036"}} == set(corpus.expected)
    assert audit(corpus, tmp_path / "two", "--jobs", "2") == first
    for number in ("2/3", "1/3"):
        audit(corpus, tmp_path / "three", "--shard", number)
    command = ["data", str(corpus.train), "--eval", str(corpus.other), "--store", str(tmp_path / "three"), "--merge"]
    assert "run `diagnose data --shard 3/3` again" in CliRunner().invoke(main, command).output
    audit(corpus, tmp_path / "three", "--shard", "3/3")
    assert audit(corpus, tmp_path / "three", "--merge") == first


def test_a_clean_manifest_has_the_other_rows_and_a_reason_for_each_that_went(corpus: Planted, tmp_path: Path) -> None:
    before = corpus.train.read_bytes()
    audit(corpus, tmp_path / "store", "--write-clean", str(tmp_path / "clean"))
    kept = pl.read_csv(tmp_path / "clean/train.csv", infer_schema=False)
    removed = pl.read_csv(tmp_path / "clean/removed.csv")
    assert corpus.train.read_bytes() == before
    assert not kept["audio_path"].str.contains("nan|silent|phase|cut|DAT032").any() and kept.height > 20
    assert removed["reason"].str.len_chars().min() > 10 and removed["line"].n_unique() >= 3 * len(COPIES)
    refused = CliRunner().invoke(
        main,
        [
            "data",
            str(tmp_path / "clean/train.csv"),
            "--audio-root",
            str(corpus.folder),
            "--write-clean",
            str(tmp_path / "clean"),
        ],
    )
    assert refused.exit_code == 2 and "expected another folder; change --write-clean" in refused.output


def test_only_what_changed_is_measured_again(corpus: Planted, tmp_path: Path) -> None:
    first = audit(corpus, tmp_path / "store")
    command = ["data", str(corpus.train), "--eval", str(corpus.other), "--store", str(tmp_path / "store")]
    assert "audio files:" not in CliRunner().invoke(main, command).output
    os.utime(corpus.folder / "clips/clean0001.wav", (1, 1))
    assert "audio files: 1/1" in CliRunner().invoke(main, command).output
    assert audit(corpus, tmp_path / "store") == first


def _deadly(names: list[str], store: str) -> list[Measured]:
    if "deadly" in names:
        os.kill(os.getpid(), signal.SIGKILL)
    return [Measured(name, "", b"", b"fine") for name in names]


def test_a_name_that_kills_its_worker_costs_only_itself() -> None:
    names = [f"file {number}" for number in range(40)]
    names[17] = "deadly"
    plan = AuditPlan(jobs=2)
    results = [
        one for some in run_shards(_deadly, lambda name: Measured(name, "", b"", b"died"), names, plan) for one in some
    ]
    assert sorted(one.name for one in results) == sorted(names)
    assert {one.name for one in results if one.record == b"died"} == {"deadly"}


@pytest.mark.parametrize("kind", [*FAULTS, *COPIES])
def test_a_record_holds_all_that_was_measured(kind: str, tmp_path: Path) -> None:
    change = COPIES[kind] if kind in COPIES else FAULTS[kind][1]
    samples, rate, extension, form, subtype = change(voice(np.random.default_rng(1), 1.0))
    soundfile.write(tmp_path / f"a.{extension}", samples, rate, format=form, subtype=subtype)
    scan = scan_file(str(tmp_path / f"a.{extension}"))
    assert repr(unpack(pack(scan))) == repr(scan) and pack(unpack(pack(scan))) == pack(scan)


def test_headers_that_lie_are_findings_within_little_memory(tmp_path: Path) -> None:
    plain, path = tmp_path / "a.wav", str(tmp_path / "a.wav")
    soundfile.write(plain, np.zeros(RATE), RATE, subtype="PCM_16")
    whole = bytearray(plain.read_bytes())
    whole[40:44] = (0x7FFF0000).to_bytes(4, "little")  # as long as two gigabytes
    plain.write_bytes(whole)
    assert scan_file(path).problem == "truncated"
    whole[24:28] = (0xFFFFFFF0).to_bytes(4, "little")  # and of that many samples a second
    plain.write_bytes(whole)
    assert scan_file(path).problem == "truncated"
    plain.write_bytes(b"fLaC" + bytes(60))
    assert scan_file(path).problem == "unreadable"


def test_different_recordings_of_ten_seeds_are_never_copies(tmp_path: Path) -> None:
    for seed in range(10):
        chance = np.random.default_rng(seed)
        for number in range(8):
            soundfile.write(tmp_path / f"{seed}-{number}.wav", voice(chance, 2.0), RATE, subtype="PCM_16")
    records = {str(path): pack(scan_file(str(path))) for path in sorted(tmp_path.glob("*.wav"))}
    assert same_sounds(records) == {}


def test_addresses_are_read_through_fsspec(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", voice(np.random.default_rng(0), 1.0), RATE, subtype="PCM_16")
    local, address = scan_file(str(tmp_path / "a.wav")), scan_file(f"file://{tmp_path}/a.wav")
    assert repr(local) == repr(address) and scan_file(f"file://{tmp_path}/b.wav").problem == "missing"


@pytest.mark.parametrize("name", ["m.jsonl", "m.csv"])
def test_other_manifests_and_a_page(name: str, tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    rows = []
    for number in range(3):
        soundfile.write(tmp_path / f"{number}.wav", voice(chance, 1.0), RATE, subtype="PCM_16")
        rows.append({"audio_filepath": f"{number}.wav", "text": ["one and two", "", "three [noise]"][number]})
    lines = [json.dumps(row) for row in rows]
    table = ["audio_filepath,text", *(f"{row['audio_filepath']},{row['text']}" for row in rows)]
    (tmp_path / name).write_text("\n".join(lines if name.endswith("jsonl") else table) + "\n")
    command = ["data", str(tmp_path / name), "--store", str(tmp_path / "store"), "--html", str(tmp_path / "page.html")]
    ran = CliRunner().invoke(main, command)
    assert ran.exit_code == 1 and "DAT002  text_is_empty" in ran.output and "DAT023  text_has_markup" in ran.output
    page = (tmp_path / "page.html").read_text()
    assert page.count("<audio") == 2 and "Durations and levels" in page
