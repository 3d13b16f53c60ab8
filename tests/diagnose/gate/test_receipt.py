"""Receipts: what they hold, when they are stale, and the exact thing that made them so."""

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from diagnose import Stage
from diagnose.common.errors import InputError
from diagnose.common.flat_keys import flatten_keys
from diagnose.engine.runner import Selection
from diagnose.gate import digests
from diagnose.gate.digests import DigestInputs, Digests
from diagnose.gate.item_digests import ItemDigests, difference
from diagnose.gate.output_folder import PreflightFolder, read_receipt
from diagnose.gate.receipt import TABLES, Receipt, mismatches, why_rejected
from diagnose.gate.receipt_diff import receipt_differences
from diagnose.gate.run_receipts import changes_since
from tests.support.fake_probes import examine, finds, passes, probe_of


@pytest.fixture
def inputs(tmp_path):
    """A small run: a manifest of four rows, their audio, a weights file, one package of source."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "loop.py").write_text("step = 1\n")
    manifest = tmp_path / "train.csv"
    manifest.write_text("audio_path,transcript\n" + "".join(f"{n}.wav,text {n}\n" for n in range(4)))
    audio = [tmp_path / f"{n}.wav" for n in range(4)]
    for path in [*audio, tmp_path / "model.safetensors"]:
        path.write_bytes(b"sound" * 10)
    return DigestInputs(
        output_dir=tmp_path / "out",
        config={"training": {"learning_rate": 0.001, "seed": 1}, "model": {"type": "hybrid", "random": {}}},
        manifests=(manifest,),
        audio_files=tuple(audio),
        weight_files=(tmp_path / "model.safetensors",),
        source_roots=(tmp_path / "code",),
    )


@pytest.fixture
def receipt(inputs):
    return Receipt.of(examine([passes("LOS001")]), Digests.of(inputs))


def test_a_receipt_survives_the_way_through_json(receipt):
    again = Receipt.from_json(receipt.to_json())
    assert again == receipt and again.signature == receipt.signature
    assert json.loads(receipt.to_json())["schema"] == "gonogo/receipt/2"


def test_nothing_changed_matches(receipt, inputs):
    assert mismatches(receipt, Digests.of(inputs)) == []
    assert list(receipt_differences(receipt, receipt)) == []


def test_the_signature_is_one_line_that_fits_and_follows_every_digest(receipt, inputs):
    assert "\n" not in receipt.signature and len(receipt.signature) <= 110
    (inputs.source_roots[0] / "loop.py").write_text("step = 2\n")
    changed = Receipt.of(examine([passes("LOS001")]), Digests.of(inputs))
    assert [a == b for a, b in zip(receipt.signature.split(), changed.signature.split(), strict=True)].count(False) == 1


def test_one_key_is_named(receipt, inputs):
    now = Digests.of(replace(inputs, config=inputs.config | {"training": {"learning_rate": 0.01, "seed": 1}}))
    assert mismatches(receipt, now) == ["configuration: training.learning_rate was 0.001, is 0.01"]


def test_a_key_that_is_new_or_gone_is_named(receipt, inputs):
    now = Digests.of(replace(inputs, config={"training": {"seed": 1, "epochs": 2}, "model": inputs.config["model"]}))
    assert mismatches(receipt, now) == [
        "configuration: training.epochs was absent, is 2",
        "configuration: training.learning_rate was 0.001, is absent",
    ]


def test_one_manifest_row_is_named(receipt, inputs):
    manifest = inputs.manifests[0]
    manifest.write_text(manifest.read_text().replace("text 2", "text two"))
    assert mismatches(receipt, Digests.of(inputs)) == [f"manifest {manifest}: line 4 changed"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([0, 1, 9, 2, 3], "1 added at line 4"),
        ([0, 1, 3], "1 removed at line 4"),
        ([0, 1, 2], "1 removed at the end"),
        ([0, 1, 2, 3, 4, 5], "2 added at line 6"),
        ([7, 8, 2, 3, 1], "4 removed, 5 added at line 2"),
    ],
)
def test_rows_that_come_and_go_are_named(receipt, inputs, rows, told):
    manifest = inputs.manifests[0]
    manifest.write_text("audio_path,transcript\n" + "".join(f"{n}.wav,text {n}\n" for n in rows))
    assert mismatches(receipt, Digests.of(inputs)) == [f"manifest {manifest}: {told}"]


def test_one_audio_file_is_named(receipt, inputs):
    inputs.audio_files[2].write_bytes(b"other")
    assert mismatches(receipt, Digests.of(inputs)) == [f"audio: {inputs.audio_files[2]} changed"]
    inputs.audio_files[1].unlink()
    assert mismatches(receipt, Digests.of(inputs)) == [
        f"audio: {inputs.audio_files[1]}, {inputs.audio_files[2]} changed"
    ]


def test_strict_looks_at_contents_and_not_at_times(inputs):
    lax = Receipt.of(examine([passes("LOS001")]), Digests.of(inputs))
    strict = Receipt.of(examine([passes("LOS001")]), Digests.of(inputs, strict=True))
    path, before = inputs.audio_files[0], inputs.audio_files[0].stat()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert mismatches(lax, Digests.of(inputs)) and not mismatches(strict, Digests.of(inputs, strict=True))
    path.write_bytes(b"SOUND" * 10)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    for receipt, is_strict in ((lax, False), (strict, True)):  # the old time, but the kernel keeps one of its own
        assert mismatches(receipt, Digests.of(inputs, is_strict)) == [f"audio: {path} changed"]


def test_times_alone_change_nothing_where_contents_were_digested(inputs):
    before = Digests.of(inputs)
    receipt = Receipt.from_json(Receipt.of(examine([passes("LOS001")]), before.with_content(inputs)).to_json())
    for path in (*inputs.audio_files, *inputs.weight_files):
        os.utime(path, ns=(1, 1))
    assert mismatches(receipt, Digests.of(inputs)) and changes_since(receipt, inputs) == []
    inputs.audio_files[1].write_bytes(b"SOUND" * 10)
    inputs.weight_files[0].write_bytes(b"SOUND" * 10)
    assert changes_since(receipt, inputs) == [
        f"audio: {inputs.audio_files[1]} changed",
        f"weights: {inputs.weight_files[0]} changed",
    ]


def test_contents_of_more_than_the_limit_are_not_read(inputs, monkeypatch):
    monkeypatch.setattr(digests, "CONTENT_LIMIT", 249)  # four clips and the weights have 50 bytes each
    assert Digests.of(inputs).with_content(inputs).audio_content is None
    monkeypatch.setattr(digests, "CONTENT_LIMIT", 250)
    assert Digests.of(inputs).with_content(inputs).audio_content is not None


def test_one_source_file_and_the_weights_are_named(receipt, inputs):
    (inputs.source_roots[0] / "loop.py").write_text("step = 2\n")
    (inputs.source_roots[0] / "more.py").write_text("")
    inputs.weight_files[0].write_bytes(b"others")
    assert mismatches(receipt, Digests.of(inputs)) == [
        "code: code/loop.py changed",
        "code: code/more.py is new",
        f"weights: {inputs.weight_files[0]} changed",
    ]


def test_random_weights_follow_from_seed_and_model_section(inputs):
    random = replace(inputs, weight_files=(), random_weights_key={"seed": 1, "model": {"layers": 2}})
    receipt = Receipt.of(examine([passes("LOS001")]), Digests.of(random))
    other = replace(random, random_weights_key={"seed": 2, "model": {"layers": 2}})
    assert mismatches(receipt, Digests.of(other)) == ["weights: random changed"]


def test_versions_and_device_are_named_but_a_resumed_run_may_move_house(receipt, inputs):
    now = Digests.of(inputs)
    moved = replace(now, versions=now.versions | {"torch": "9.9"}, device="H100", weights={"other": "0"})
    assert mismatches(receipt, moved)[-2:] == [
        f"version: torch was {now.versions['torch']}, is 9.9",
        "device: was cpu, is H100",
    ]
    assert mismatches(receipt, moved, resumed=True) == []
    (inputs.source_roots[0] / "loop.py").write_text("step = 2\n")
    assert mismatches(receipt, Digests.of(inputs), resumed=True) == ["code: code/loop.py changed"]


def test_only_a_full_go_with_loss_gradients_and_learning_opens_the_gate(inputs):
    def made(probes, selection=None):
        report = examine(probes, selection=selection) if selection else examine(probes)
        return why_rejected(Receipt.of(report, Digests.of(inputs)))

    looked = [passes("ENV001"), passes("LOS001"), passes("GRD001"), passes("LRN001")]
    assert made(looked) == ""
    assert "limited" in made(looked, Selection(stages=(Stage.ENVIRONMENT,)))
    assert made([*looked, finds("LAB001")]) == "its verdict was no-go"
    unseen = probe_of("LRN001", lambda train_batches: ())
    assert made([*looked[:3], unseen]) == "no probe of the stage learning could run"


def test_diff_names_verdict_ignores_and_probes(inputs):
    one = Receipt.of(examine([passes("LOS001"), passes("LAB001")]), Digests.of(inputs))
    ignoring = Selection(ignored={"LAB001": "known"})
    other = Receipt.of(examine([finds("LOS001"), passes("LAB001")], selection=ignoring), Digests.of(inputs))
    assert list(receipt_differences(one, other)) == [
        "verdict: was go, is no-go",
        "ignored LAB001: was absent, is known",
        "probe LAB001: was passed, is skipped",
        "probe LOS001: was passed, is found",
    ]


def test_diff_of_audio_counts_in_the_order_of_the_rows(receipt, inputs):
    inputs.audio_files[2].write_bytes(b"other")
    other = Receipt.from_json(Receipt.of(examine([passes("LOS001")]), Digests.of(inputs)).to_json())
    assert list(receipt_differences(receipt, other)) == ["audio: file 3 changed"]


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"schema": "gonogo/receipt/0"}', "\x00", '"text"', "null"])
def test_a_torn_receipt_is_told_in_one_sentence(tmp_path, content):
    (tmp_path / "receipt.json").write_text(content)
    with pytest.raises(InputError, match="not a readable receipt"):
        read_receipt(tmp_path)
    with pytest.raises(InputError, match="there is no receipt"):
        read_receipt(tmp_path / "nowhere")


@pytest.mark.parametrize("part", TABLES)
def test_a_receipt_with_a_part_of_another_kind_is_torn_too(tmp_path, receipt, part):
    (tmp_path / "receipt.json").write_text(json.dumps(json.loads(receipt.to_json()) | {part: None}))
    with pytest.raises(InputError, match="not a readable receipt"):
        read_receipt(tmp_path)


def test_a_second_preflight_says_what_has_gone_and_what_is_new(tmp_path, receipt):
    folder = PreflightFolder(tmp_path / "preflight")
    first = examine([finds("LAB001", wheres=("row 1", "row 2")), passes("LOS001"), finds("GRD001")])
    assert folder.since(first) is None
    folder.write(first, receipt)
    second = examine([finds("LAB001", wheres=("row 2", "row 3")), finds("LOS001", wheres=("batch 0",))])
    since = folder.since(second)
    assert since.resolved == (("LAB001", "row 1"),)
    assert since.new == (("LAB001", "row 3"), ("LOS001", "batch 0"))


def test_a_thousand_findings_stand_in_a_file_that_goes_when_they_go(tmp_path, receipt):
    folder = PreflightFolder(tmp_path / "preflight")
    folder.write(examine([finds("LAB001", wheres=[f"row {n}" for n in range(1000)])]), receipt)
    rows = [json.loads(line) for line in folder.findings("LAB001").read_text().splitlines()]
    assert len(rows) == 1000 and rows[999]["where"] == "row 999"
    folder.write(examine([passes("LAB001")]), receipt)
    assert not folder.findings("LAB001").exists()
    written = sorted(path.name for path in folder.path.rglob("*") if path.is_file())
    assert written == ["receipt.json", "report.html", "report.json"]


def test_a_place_that_cannot_be_written_is_told(tmp_path, receipt):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        PreflightFolder(tmp_path / "file" / "preflight").write(examine([passes("LAB001")]), receipt)


items = some.lists(some.binary(max_size=3), max_size=12)


@given(items, items)
def test_a_roll_tells_a_difference_exactly_when_there_is_one(old, new):
    told = difference(ItemDigests.of(old), ItemDigests.of(new), str)
    assert bool(told) == (old != new)


@given(items.filter(bool), some.data())
def test_a_roll_names_the_one_that_changed(old, data):
    at = data.draw(some.integers(0, len(old) - 1))
    new = [*old[:at], old[at] + b"!", *old[at + 1 :]]
    assert difference(ItemDigests.of(old), ItemDigests.of(new), lambda n: f"<{n}>") == f"<{at}> changed"


def test_a_million_rows_stay_compact():
    roll = ItemDigests.of(b"%d" % n for n in range(1_000_000))
    assert len(roll.marks) < 2_700_000


def test_flat_keeps_empty_sections_and_lists():
    assert flatten_keys({"a": {"b": {"c": 1}, "d": [1, 2], "e": {}}}) == {"a.b.c": 1, "a.d": [1, 2], "a.e": {}}
