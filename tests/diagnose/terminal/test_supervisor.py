"""A command ends with its own exit code or with 2, whatever the code that it runs does to its process."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from diagnose.common.activity import Activity

METADATA = "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n"
POINTS = "[gonogo.probes]\nacme = acme\n"
PROBE = '''
import os, sys
from diagnose.engine.decorators import probe
from diagnose.engine.types import Severity, Stage

@probe(id="ENV901", stage=Stage.ENVIRONMENT, severity=Severity.ERROR)
def acme_is_absent():
    """Acme is absent."""
    {how}
    yield
'''


def command(folder, *args: str) -> list[str]:
    return [sys.executable, "-m", "diagnose", *args]


def diagnose(folder, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        command(folder, *args), env=environment, cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def acme(tmp_path):
    """Installs a plug-in with this source."""

    def install(source: str):
        info = tmp_path / "acme-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(METADATA)
        (info / "entry_points.txt").write_text(POINTS)
        (tmp_path / "acme.py").write_text(source)
        return tmp_path

    return install


def test_a_plug_in_that_ends_the_process_is_named_and_is_no_success(acme):
    said = diagnose(acme("import os; os._exit(0)"), "list")
    assert said.returncode == 2 and "without a result while importing acme;" in said.stderr


@pytest.mark.parametrize("source", ["import sys; sys.exit(0)", "raise BaseException('odd')"])
def test_a_plug_in_that_raises_anything_is_named_and_the_others_are_listed(acme, source):
    said = diagnose(acme(source), "list")
    assert "acme cannot be read: " in said.stderr and len(said.stdout.splitlines()) > 200


def test_what_a_plug_in_prints_is_a_warning_and_no_part_of_the_result(acme):
    said = diagnose(acme("print('hello')"), "list")
    assert said.stderr == "warning: acme prints when it is imported: hello\n" and "hello" not in said.stdout


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ("os._exit(0)", "without a result while running ENV901, acme.acme_is_absent"),
        ("raise BaseException('odd')", "ENV901 crashed: BaseException: odd"),
    ],
)
def test_a_probe_that_ends_the_process_is_named(acme, how, where):
    folder = acme(PROBE.format(how=how))
    (folder / "mine.py").write_text("def facts():\n    return {'seed': 1}\n")
    said = diagnose(folder, "preflight", "--subject", "mine:facts", "--select", "ENV901")
    assert said.returncode == 2 and where in said.stdout + said.stderr


LOSS = """
import os, sys, torch
def facts():
    def compute_loss(model, batch):
        {how}
    batches = [(torch.ones(2, 3), torch.ones(2))] * 2
    return dict(model=torch.nn.Linear(3, 1), train_batches=batches, compute_loss=compute_loss)
"""


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ("os._exit(0)", "error: the process ended with exit code 0 and without a result while measuring "),
        ("raise BaseException('odd')", "INCONCLUSIVE: "),
    ],
)
def test_a_loss_that_ends_the_process_is_no_go_ahead(tmp_path, how, where):
    (tmp_path / "mine.py").write_text(LOSS.format(how=how))
    said = diagnose(tmp_path, "preflight", "--subject", "mine:facts", "--select", "LOS001")
    assert said.returncode == 2 and where in said.stdout + said.stderr


@pytest.mark.parametrize("how", ["os._exit(0)", "sys.exit(0)", "os.kill(os.getpid(), 11)", "raise BaseException"])
@pytest.mark.parametrize("place", ["", "def facts(): "])
def test_a_subject_that_ends_the_process_is_named(tmp_path, how, place):
    (tmp_path / "mine.py").write_text(f"import os, sys\n{place}{how}\n")
    said = diagnose(tmp_path, "preflight", "--subject", "mine:facts")
    assert said.returncode == 2 and "--subject mine:facts" in said.stderr and "Traceback" not in said.stderr


WAITING = "import time\ndef facts():\n    print('ready', flush=True)\n    time.sleep(60)\n"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_signal_reaches_the_command_and_nothing_is_left(tmp_path, number, code):
    (tmp_path / "mine.py").write_text(WAITING)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = subprocess.Popen(command(tmp_path, "preflight", "--subject", "mine:facts"), cwd=tmp_path, **pipes)
    assert started.stdout.readline() == "ready\n"
    [child] = psutil.Process(started.pid).children()
    started.send_signal(number)
    started.communicate(timeout=30)
    ends = time.monotonic() + 10
    while psutil.pid_exists(child.pid) and time.monotonic() < ends:
        time.sleep(0.02)
    assert started.returncode == code and not psutil.pid_exists(child.pid)


def test_the_end_of_a_file_is_not_called_ctrl_c(tmp_path):
    (tmp_path / "bad.yaml").write_text("model: {type: hybrid}\n")
    code = (
        "import diagnose.cli as cli\n"
        "def ends(*_, **__): raise EOFError('the data ended')\n"
        "cli.facts_from = ends\n"
        "import sys; sys.argv = ['diagnose', 'data', '--config', 'bad.yaml']; cli.main()"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 2 and "EOFError: the data ended" in said.stderr and "Ctrl-C" not in said.stderr


def test_a_fork_of_the_command_cannot_report_for_it():
    page = Activity()
    page.share()
    page.own()
    child = os.fork()
    if child == 0:
        page.exit_code, page.text = 0, "lies"
        os._exit(0)
    os.waitpid(child, 0)
    assert page.exit_code is None and page.text == ""
    page.exit_code, page.text = 1, "working"
    assert (page.exit_code, page.text) == (1, "working")
