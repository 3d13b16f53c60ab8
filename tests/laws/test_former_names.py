"""A probe that was renamed still answers to its former name."""

from pathlib import Path

from click.testing import CliRunner

import playbooks
from diagnose.cli import main
from diagnose.engine import discovery
from diagnose.playbook_search import explain, former_names

PROBES = discovery.probes().items


def test_a_former_name_is_no_probe_s_name_now_and_leads_to_the_probe_that_had_it():
    former = former_names()
    assert former and not set(former) & {probe.name for probe in PROBES}
    heads = {probe.id: f"# {probe.id} {probe.name}\n" for probe in PROBES}
    assert [name for name, id in former.items() if not explain(name, PROBES).markdown.startswith(heads[id])] == []


def test_no_former_name_is_listed_twice():
    lines = Path(playbooks.__file__).with_name("former_names.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(former_names())


def test_explain_answers_a_former_name_with_the_playbook_of_today():
    told = CliRunner().invoke(main, ["explain", "decoder_never_listens"])
    assert told.exit_code == 0 and "LRN008" in told.stdout.splitlines()[0]
