"""What comes from outside is text: no terminal carries it out, no spreadsheet computes it."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from diagnose.common.display import display
from diagnose.common.plain_console import PlainConsole
from diagnose.common.printable import as_cell, printable

ATTACKS = {
    "\x1b[2Jcleared": "cleared",
    "\x1b]0;title\x07text": "text",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
    "a\x1b[31mred\x1b[0m": "ared",
    "over\rwritten\x08\x07": "overwritten",
    "\x9b31mC1": "31mC1",
    "\u202egnp.exe": "gnp.exe",
    "\x1bPq payload\x1b\\kept": "kept",
    "nul\0": "nul",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_sequences_are_left_out_and_text_is_kept(attack):
    assert printable(attack) == ATTACKS[attack]


def test_ordinary_text_stays_as_it_is():
    text = "xin chào, 你好\n\tשלום 👩‍👩‍👧 = + 1\n"
    assert printable(text) == text


@given(some.text())
def test_nothing_that_a_terminal_carries_out_is_left(text):
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", printable(text))
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize("attack", ATTACKS)
def test_lines_and_tables_are_printed_without_them(attack, capsys):
    display.print_line(attack, err=False)
    terminal = io.StringIO()
    PlainConsole(file=terminal, force_terminal=True, color_system=None).print(attack)
    assert capsys.readouterr().out.strip() == ATTACKS[attack]
    assert terminal.getvalue().strip() == ATTACKS[attack]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_cell_is_never_a_formula(text):
    assert as_cell(text) == f"'{text}" and as_cell("plain = text") == "plain = text"
