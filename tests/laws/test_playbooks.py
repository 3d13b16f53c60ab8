"""Playbooks are executed: every Broken block is found by its probe, every Fixed block passes."""

import ast
import re
import textwrap
import time
from pathlib import Path

import pytest

import diagnose
from diagnose import Status
from diagnose.cli import main
from diagnose.engine import discovery
from diagnose.engine.engine import installed
from diagnose.engine.providers import ProviderPlan
from trainer.cli import main as train

FOLDER = Path(__file__).parents[2] / "playbooks"
SECTIONS = ["Symptom", "Why", "Broken", "Fixed", "Fix", "In your code", "If it comes back"]
# What to change is a file, an installation or nothing: no line of the user's code.
NO_CODE = {
    "audio_decoder_is_missing", "audio_file_is_missing", "audio_is_clipped", "audio_is_empty", "audio_is_truncated",
    "audio_is_unreadable", "device_is_not_available", "disk_space_is_too_small", "drawing_batches_changed_rng_state",
    "effective_batch_and_update_count", "input_target_relation_not_shown", "manifest_metadata_differs_from_audio",
    "manifest_row_is_unreadable",
    "model_is_partly_frozen", "numpy_torch_abi_mismatch", "only_a_sample_was_checked", "package_is_not_importable",
    "speaking_rate_is_impossible", "texts_are_near_duplicates", "tokenizer_package_is_missing",
    "torchaudio_build_differs", "trainer_package_is_shadowed",
}  # fmt: skip
SYMPTOM_SECTIONS = ["Symptom", "In this order", "Causes and fixes", "Advice to avoid", "Probes and commands"]
SECONDS = 5.0  # a block takes under one on a quiet machine; shared caches have doubled the processor time

PROBES = {probe.name: probe for probe in discovery.probes().items if probe.check.__module__.startswith("probes.")}
BOOKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("[a-z]*.md"))}
SYMPTOMS = sorted(set(BOOKS) - set(PROBES))


def sections(text):
    parts = re.split(r"(?m)^## (.+)\n", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(kind):
    """(probe, number, code) of every block in a section of that kind."""
    for name in sorted(set(PROBES) & set(BOOKS)):
        for number, code in enumerate(re.findall(r"(?ms)^```python\n(.*?)^```$", sections(BOOKS[name])[kind])):
            yield pytest.param(PROBES[name], code, id=f"{name}-{number}")


def looked(probe, code):
    """The block's facts (a dict named facts, or every name that is one) through this probe alone, timed."""
    start, used = time.perf_counter(), time.process_time()
    names = {}
    exec(compile(code, f"playbooks/{probe.name}.md", "exec"), names)
    facts = names.get("facts") or {name: value for name, value in names.items() if name in KNOWN}
    report = diagnose.preflight(select=[probe.id], **facts)
    (outcome,) = report.outcomes
    # by the clock, or by the processor where others keep it busy
    return outcome, min(time.perf_counter() - start, time.process_time() - used)


KNOWN = ProviderPlan((), installed().providers).known


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Importing transformers and what measures is not a block's time."""
    from probes.healthy import NAMES, healthy

    list(discovery.walk("probes.facts"))
    for name in NAMES:
        healthy(name)


def test_every_probe_has_a_playbook_with_the_same_sections_and_none_is_left_over():
    assert set(PROBES) <= set(BOOKS), f"no playbook: {sorted(set(PROBES) - set(BOOKS))}"
    without_code = [section for section in SECTIONS if section != "In your code"]
    expected = {name: without_code if name in NO_CODE else SECTIONS for name in PROBES}
    assert {name: list(sections(BOOKS[name])) for name in PROBES} == expected
    assert {name: list(sections(BOOKS[name])) for name in SYMPTOMS} == dict.fromkeys(SYMPTOMS, SYMPTOM_SECTIONS)


def test_file_name_function_name_and_playbook_name_are_one():
    for name, probe in PROBES.items():
        path = Path(probe.check.__code__.co_filename)
        assert path.stem == name and path.parent.name == probe.stage
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 60


def test_both_kinds_of_blocks_are_there_for_every_probe():
    for kind in ("Broken", "Fixed"):
        assert {param.values[0].name for param in blocks(kind)} == set(PROBES)


@pytest.mark.parametrize(("probe", "code"), blocks("Broken"))
def test_a_broken_block_is_found(probe, code):
    outcome, seconds = looked(probe, code)
    assert outcome.status is Status.FOUND, f"{outcome.status}: {outcome.reason}"
    assert outcome.worst is probe.severity
    assert seconds < SECONDS


@pytest.mark.parametrize(("probe", "code"), blocks("Fixed"))
def test_a_fixed_block_passes(probe, code):
    outcome, seconds = looked(probe, code)
    assert outcome.status is Status.PASSED, f"{outcome.status}: {outcome.reason} {outcome.findings}"
    assert seconds < SECONDS


@pytest.mark.parametrize("name", sorted(set(PROBES) - NO_CODE))
def test_the_code_before_and_after_is_one_diff_of_valid_python(name):
    (diff,) = re.findall(r"(?ms)^```diff\n(.*?)^```$", sections(BOOKS[name])["In your code"])
    lines = diff.splitlines()
    before, after = (code_of(lines, sign) for sign in "-+")
    ast.parse(before), ast.parse(after)
    assert before != after and all(line[:1] in ("", " ", "-", "+") for line in lines)


def code_of(lines, sign):
    return textwrap.dedent("\n".join(line[1:] for line in lines if line[:1] in ("", " ", sign)))


def test_playbooks_name_only_probes_and_commands_that_exist():
    ids = {probe.id for probe in discovery.probes().items}
    for name, text in BOOKS.items():
        assert set(re.findall(r"\b[A-Z]{3}\d{3}\b", text)) <= ids, name
        assert set(re.findall(r"`diagnose ([a-z-]+)", text)) <= set(main.commands), name
        assert set(re.findall(r"`train ([a-z][a-z-]*)", text)) <= set(train.commands), name


def test_every_symptom_leads_to_a_probe_and_a_command():
    for name in SYMPTOMS:
        tells = sections(BOOKS[name])["Probes and commands"]
        assert re.search(r"\b[A-Z]{3}\d{3}\b", tells) and "`diagnose " in tells, name


@pytest.mark.parametrize("name", SYMPTOMS)
def test_a_symptom_is_found_by_every_way_to_say_it(name):
    from diagnose.playbook_search import explain

    for line in sections(BOOKS[name])["Symptom"].strip().splitlines():
        said = line.lstrip("- ").replace("`", "")
        assert explain(said, tuple(PROBES.values())).markdown == BOOKS[name], said


def test_harmful_advice_is_called_so():
    assert "max_grad_norm" in sections(BOOKS["gradients_explode"])["Advice to avoid"]
    assert "nfreeze" in sections(BOOKS["loss_is_zero"])["Advice to avoid"]
    assert "pkill" in sections(BOOKS["out_of_memory"])["Advice to avoid"]
    order = sections(BOOKS["loss_is_nan"])["In this order"]
    steps = ["FP32", "Learning rate", "Inputs", "Modules", "Edge cases of the loss", "Trainable parameters"]
    places = [order.index(f"**{step}") for step in steps]
    assert places == sorted(places)
