"""Property tests judge what code does, not how busy the machine is; and `make check` takes a sample of long lists."""

from itertools import groupby

import pytest
from hypothesis import HealthCheck, settings

MANY, SAMPLE = 3, 10

settings.register_profile("gonogo", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gonogo")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of more than three like cases the first and every tenth are quick; `make test` runs them all.

    Tests that share a fixture of their module run in one process, so that it is made once.
    """
    for item in items:
        found = getattr(item, "_fixtureinfo", None)
        if found and any(one[-1].scope == "module" for one in found.name2fixturedefs.values()):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    for _, group in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        for number, case in enumerate(cases):
            if len(cases) > MANY and number % SAMPLE:
                case.add_marker(pytest.mark.slow)
