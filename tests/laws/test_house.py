"""The house: one topic in one folder, no way round in circles, and few files from a batch to a finding."""

import ast
import re
from collections import Counter
from statistics import median, quantiles

import pytest

from tests.support.import_graph import PACKAGES, ROOT, cycles, graph, is_marked, modules, way

NOT_A_STAGE = {"facts", "faults", "guards", "integrations", "reporting", "subjects"}
GUIDE = ROOT / "CONTRIBUTING.md"
MOST_FILES, MOST_LINES, LONGEST_FUNCTION = 25, 150, 40


def topic(name: str) -> str | None:
    parts = name.split(".")
    return parts[2] if parts[:2] == ["probes", "facts"] and len(parts) > 3 else None


def is_catalogue(folder) -> bool:
    """probes/<stage>, probes/faults/<stage> and playbooks hold one file for each thing there is."""
    parts = folder.relative_to(ROOT).parts
    stage = parts[-1] not in NOT_A_STAGE | {"kit"}
    return parts == ("playbooks",) or (parts[0] == "probes" and stage and len(parts) == (3 if "faults" in parts else 2))


def test_few_files_lie_between_a_batch_and_a_finding(capsys):
    ways = [
        {name for name in way(probe, node) if topic(name) != "core"}
        for probe, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and is_marked(node, "probe")
    ]
    sizes = [len(found) for found in ways]
    middle, p90, most = median(sizes), quantiles(sizes, n=10)[-1], max(sizes)
    with capsys.disabled():
        print(f"\nfiles outside core from a batch to a finding: median {middle:g}, p90 {p90:g}, max {most}")
    assert len(sizes) >= 279 and middle <= 8 and p90 <= 17 and most <= 28


def test_no_module_leads_back_to_itself():
    assert cycles(graph()) == []


def test_no_topic_leads_back_to_itself_and_core_imports_none():
    edges: dict[str, set[str]] = {}
    for name, targets in graph().items():
        if (own := topic(name)) is not None:
            edges.setdefault(own, set()).update({other for t in targets if (other := topic(t)) not in (None, own)})
    assert cycles(edges) == [] and edges["core"] == set()


def test_the_shared_leaf_imports_nothing_of_ours():
    for name, targets in graph().items():
        if name.startswith("diagnose.common."):
            assert all(target.startswith("diagnose.common") for target in targets), (name, targets)


def test_a_way_round_would_be_seen():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_no_folder_holds_more_files_than_one_can_overlook():
    folders = [path for top in (*PACKAGES, "tests") for path in (ROOT / top).rglob("*") if path.is_dir()]
    files = {path: len([file for file in path.glob("*.py") if file.stem != "__init__"]) for path in folders}
    assert {path: count for path, count in files.items() if count > MOST_FILES and not is_catalogue(path)} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_and_functions_stay_short(package):
    long = Counter()
    for path in (ROOT / package).rglob("*.py"):
        text = path.read_text("utf-8")
        long[path] = len(text.splitlines()) * (len(text.splitlines()) > MOST_LINES)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = int(node.end_lineno or 0) - node.lineno + 1
                long[path, node.name] = size * (size > LONGEST_FUNCTION)
    assert {where: lines for where, lines in long.items() if lines} == {}


def test_every_path_in_the_contributing_guide_is_there():
    named = re.findall(r"`((?:trainer|diagnose|probes|playbooks|tests)/[\w./]*[\w/])`", GUIDE.read_text("utf-8"))
    assert len(named) > 15 and [path for path in named if not (ROOT / path).exists()] == []


def test_every_module_that_is_imported_is_there():
    files = [path for top in (*PACKAGES, "tests") for path in (ROOT / top).rglob("*.py")]
    lost = [
        (path.relative_to(ROOT).as_posix(), node.module)
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in (*PACKAGES, "tests")
        if not (ROOT / str(node.module).replace(".", "/")).is_dir()
        if not (ROOT / f"{str(node.module).replace('.', '/')}.py").exists()
    ]
    assert lost == []
