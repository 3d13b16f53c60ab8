"""The diagnose command, as a person types it."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from diagnose.cli import main
from tests.support.fake_probes import install

PROBES = '''
import time
from diagnose import Finding, Severity, Stage, probe

@probe(id="DAT901", stage=Stage.DATA, severity=Severity.ERROR, explains=("LOS9*",))
def rows_are_bad(train_rows):
    """Rows are bad."""
    for row in train_rows:
        if row["text"] == "bad":
            yield Finding(row["id"], "the text is 'bad', expected 'good'", "write a good one", file="train.csv", line=2)

@probe(id="DAT902", stage=Stage.DATA, severity=Severity.ERROR)
def looks_for_ever(audio_root):
    """Takes its time."""
    print("looking", flush=True)
    time.sleep(60)
    return ()

@probe(id="LOS901", stage=Stage.LOSS, severity=Severity.ERROR)
def step_is_bad(broken_step):
    """The step is bad."""
    return ()
'''

SUBJECT = """
from pathlib import Path
from diagnose.gate.digests import DigestInputs

def rows(text="good"):
    out = DigestInputs(Path("out"), {"text": text})
    return {"train_rows": [{"id": "row 1", "text": text}], "digest_inputs": out}

def bad(): return rows("bad")
def broken(): return {"model": 1}
def raises(): raise ValueError("no data here")
def exits(): raise SystemExit(3)
def nothing(): return None
def empty(): return {}
def number(): return 3
def misspelt(): return {"train_batchs": 1}
def slow(): return rows() | {"audio_root": "."}
thing = 3
"""


GIVING = """
from diagnose import provider

@provider
def broken_step(model):
    raise RuntimeError('no step')
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A project of someone else's, with probes of its own, in the working directory."""
    files = {
        "theirs/__init__.py": "",
        "theirs/looking.py": PROBES,
        "theirs/rows_are_bad.md": "# rows_are_bad\n\n## Symptom\n\nevery row is bad\n\n## Fix\n\nwrite good ones\n",
        "theirs/giving.py": GIVING,
        "theirs/subject.py": SUBJECT,
    }
    points = "[gonogo.probes]\ntheirs = theirs\n[gonogo.providers]\ntheirs = theirs.giving\n"
    install(tmp_path, files, points)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name == "theirs" or name.startswith("theirs.")]:
        del sys.modules[name]


def diagnose(*args):
    return CliRunner().invoke(main, list(args))


def test_go_no_go_and_inconclusive_are_0_1_and_2(here):
    go = diagnose("preflight", "--subject", "theirs.subject:rows", "--select", "DAT901")
    assert go.exit_code == 0 and "ALL CHECKS PASSED: 1 check run" in go.stdout
    no_go = diagnose("preflight", "--subject", "theirs.subject:bad", "--select", "DAT901")
    assert no_go.exit_code == 1 and "DO NOT START TRAINING" in no_go.stdout
    head, fix = "1. DAT901 error  row 1", "fix: write a good one"
    assert f"{head}\n     the text is 'bad', expected 'good'\n     {fix}\n" in no_go.stdout
    cannot = diagnose("preflight", "--subject", "theirs.subject:broken", "--select", "LOS901")
    assert cannot.exit_code == 2 and "1 check blocked: broken_step: RuntimeError: no step" in cannot.stdout


def test_a_second_preflight_tells_what_has_gone(here):
    assert "since the last" not in diagnose("preflight", "--subject", "theirs.subject:bad", "--select", "DAT901").stdout
    again = diagnose("preflight", "--subject", "theirs.subject:rows", "--select", "DAT901", "-v")
    assert "since the last preflight: 1 gone (DAT901)\n  gone: DAT901 at row 1\n" in again.stdout
    assert "receipt: go part config:" in again.stdout and "report: out/preflight/report.json" in again.stdout


def test_json_sarif_and_junit_are_written(here):
    written = ["--json", "r/a.json", "--sarif", "r/a.sarif", "--junit", "r/a.xml"]
    diagnose("preflight", "--subject", "theirs.subject:bad", "--select", "DAT901", *written)
    assert json.loads(Path("r/a.json").read_text())["verdict"] == "no-go"
    result = json.loads(Path("r/a.sarif").read_text())["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert ElementTree.parse("r/a.xml").find(".//failure") is not None


def test_a_stage_alone_and_an_ignored_probe(here):
    staged = diagnose("preflight", "--subject", "theirs.subject:bad", "--stage", "data", "--ignore", "DAT901=known: #7")
    assert "ignored: known: #7" in staged.stdout and "only a full preflight opens the gate" in staged.stdout
    assert json.loads(Path("out/preflight/receipt.json").read_text())["ignored"] == {"DAT901": "known: #7"}
    assert json.loads(Path("out/preflight/receipt.json").read_text())["full"] is False


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "name what to look at: --config FILE or --subject"),
        (["--config", "c.yaml", "--subject", "a:b"], "one of them"),
        (["--subject", "theirs.subject"], "expected package.module:function"),
        (["--subject", "nowhere.at_all:facts"], "nowhere.at_all cannot be imported (ModuleNotFoundError"),
        (["--subject", "theirs.subject:gone"], "expected a function gone in theirs.subject, but there is no such name"),
        (["--subject", "theirs.subject:thing"], "but it is a int"),
        (["--subject", "theirs.subject:raises"], "the function raised ValueError: no data here ("),
        (["--subject", "theirs.subject:exits"], "the function raised SystemExit: 3"),
        (["--subject", "theirs.subject:nothing"], "the function returned nothing, expected a dict of facts"),
        (["--subject", "theirs.subject:empty"], "the function returned an empty dict"),
        (["--subject", "theirs.subject:number"], "the function returned a int"),
        (["--subject", "theirs.subject:misspelt"], "there is no fact named 'train_batchs' (nearest: train_batches)"),
        (["--subject", "theirs.subject:rows", "--select", "DAT991"], "there is no probe 'DAT991' (nearest: DAT90"),
        (["--subject", "theirs.subject:rows", "--ignore", "DAT901"], "--ignore DAT901 needs a reason"),
        (["--subject", "theirs.subject:rows", "--stage", "labelz"], "'labelz' is not one of"),
        (["--config", "nowhere.yaml"], "nowhere.yaml does not exist"),
        (["--config", "empty.yaml"], "empty.yaml"),
        (["--config", "latin.yaml"], "latin.yaml"),
        (["--config", "circle.yaml"], "circle.yaml"),
        (["--config", "keys.yaml"], "learning_rat"),
        (["--config", "folder.yaml"], "folder.yaml"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(here, args, sentence):
    Path("empty.yaml").write_text("")
    Path("latin.yaml").write_bytes(b"output: {experiment_name: caf\xe9}\n")
    Path("circle.yaml").write_text("_base_: circle.yaml\n")
    Path("keys.yaml").write_text("training: {learning_rat: 1}\n")
    Path("folder.yaml").mkdir()
    result = diagnose("preflight", *args)
    assert result.exit_code == 2 and result.stdout == ""
    assert sentence in result.stderr and result.stderr.startswith("error: ")
    assert len(result.stderr.strip().splitlines()) == 1
    assert not Path("out").exists()


def test_list_shows_id_stage_severity_and_title(here):
    assert "DAT901  data         error    Rows are bad." in diagnose("list").stdout.splitlines()


def test_explain_by_id_name_and_symptom(here):
    for asked in (["DAT901"], ["dat901"], ["rows_are_bad"]):
        told = diagnose("explain", *asked)
        assert told.exit_code == 0 and "every row is bad" in told.stdout and "Stage data, severity error" in told.stdout
    assert diagnose("explain", "DAT9").exit_code == 2
    odd = diagnose("explain", "qwertyuiop zxcvbnm")
    assert odd.exit_code == 2 and "no playbook describes 'qwertyuiop zxcvbnm'" in odd.stderr


@pytest.mark.parametrize(
    ("said", "heading"),
    [
        ("loss is nan", "Loss is NaN"),
        ("training loss is 0", "Loss is zero"),
        ("garbage output", "Output is garbage"),
        ("OSError: libc10_cuda.so: cannot open shared object file", "Torchaudio build differs"),
    ],
)
def test_a_symptom_in_a_persons_own_words_leads_to_its_playbook(said, heading):
    told = diagnose("explain", said)
    assert told.exit_code == 0 and heading in told.stdout.splitlines()[0]


def test_env_says_what_a_bug_report_needs():
    told = dict(line.split(": ", 1) for line in diagnose("env").stdout.splitlines())
    assert {"gonogo", "python", "torch", "torchaudio", "device", "cores", "memory", "disk", "GPU and driver"} <= set(
        told
    )
    assert "+" in told["torchaudio"]


def test_the_bundle_holds_report_configuration_first_steps_and_versions_and_no_data(here):
    diagnose("preflight", "--subject", "theirs.subject:bad", "--select", "DAT901")
    Path("out/config.resolved.yaml").write_text("training: {}\n")
    Path("out/a.wav").write_bytes(b"sound")
    history = [{"step": n, "loss": 5.0 - n, "sample": "a transcript"} for n in range(50)]
    for step in (100, 20):
        Path(f"out/checkpoint-{step}").mkdir()
        state = {"log_history": history if step == 20 else []}
        Path(f"out/checkpoint-{step}/trainer_state.json").write_text(json.dumps(state))
    told = diagnose("env", "--bundle", "b.zip", "--run", "out")
    assert told.exit_code == 0 and "report.json" in told.stdout
    with zipfile.ZipFile("b.zip") as archive:
        assert set(archive.namelist()) == {
            "environment.txt", "report.json", "receipt.json", "config.resolved.yaml", "first_steps.json",
        }  # fmt: skip
        steps = json.loads(archive.read("first_steps.json"))
        outcomes = json.loads(archive.read("report.json"))["outcomes"]
    findings = [finding for outcome in outcomes for finding in outcome["findings"]]
    assert findings and all(finding["message"].startswith("left out") and finding["fix"] for finding in findings)
    assert len(steps) == 20 and steps[0] == {"step": 0, "loss": 5.0}
    assert diagnose("env", "--bundle", "b.zip", "--run", "nowhere").exit_code == 2


def test_diff_says_what_changed(here):
    for subject, out in (("rows", "one"), ("bad", "two")):
        diagnose("preflight", "--subject", f"theirs.subject:{subject}", "--select", "DAT901")
        Path("out").rename(out)
    assert diagnose("diff", "one", "two").stdout.splitlines() == [
        "verdict: was go, is no-go",
        "configuration: text was good, is bad",
        "probe DAT901: was passed, is found",
    ]
    assert diagnose("diff", "one", "one/preflight/receipt.json").stdout == "nothing changed\n"
    assert diagnose("diff", "one", "nowhere").exit_code == 2


LIGHT = "import sys; from diagnose.cli import main\ntry: main({args})\nexcept SystemExit: pass\n"


@pytest.mark.parametrize("args", [["--help"], ["preflight", "--help"], ["list"], ["explain", "LAB002"], ["env"]])
def test_help_list_and_explain_do_not_import_torch(args):
    code = LIGHT.format(args=args) + "print(sorted({'torch', 'transformers', 'numpy'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_import_diagnose_is_light():
    code = (
        "import sys, diagnose; print(sorted({'torch', 'numpy', 'rich', 'diagnose.engine.engine'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.slow
def test_ctrl_c_is_130_and_leaves_nothing_half_written(here):
    command = [sys.executable, "-m", "diagnose", "preflight", "--subject", "theirs.subject:slow", "--select", "DAT90*"]
    environment = {**os.environ, "PYTHONPATH": str(here)}
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert started.stdout.readline() == "looking\n"
    time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert started.returncode == 130 and "stopped by Ctrl-C" in said and "Traceback" not in said
    assert not Path("out").exists()


@pytest.mark.bench
def test_list_and_env_answer_within_one_and_a_half_imports_of_torch():
    def seconds(*command):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        return time.perf_counter() - start

    torch = min(seconds("-c", "import torch") for _ in range(3))
    for command in ("list", "env"):
        assert min(seconds("-m", "diagnose", command) for _ in range(3)) <= 1.5 * torch
