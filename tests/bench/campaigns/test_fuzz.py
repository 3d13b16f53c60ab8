"""A few damaged files of each kind in every run of the tests, and those that once found something."""

import pytest

from tests.bench.campaigns.fuzz import campaign

FOUND = [("configuration", 128), ("configuration", 787)]  # 500 errors in one message; a base with a long name


def test_a_few_damaged_files_of_each_kind_are_read_or_refused():
    assert {name: figures["first"] for name, figures in campaign(25).items() if figures["wrong"]} == {}


@pytest.mark.parametrize(("target", "number"), FOUND)
def test_what_was_found_once_stays_fixed(target, number):
    assert campaign(1, target, number)[target]["wrong"] == 0
