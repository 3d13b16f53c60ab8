"""Words that a user reads: plain technical English in American spelling, as in the documentation of torch."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnose.engine import discovery

ROOT = Path(__file__).parents[2]
# Word or phrase (a regular expression, whole words, any case) and what to write instead.
INSTEAD = {
    "vouch(es|ed)?( for)?": "inconclusive",
    "dear(er|est)?": "expensive",
    "a root stands": "skipped after ID",
    "noughts?": "zero",
    "mend(s|ed|ing)?": "fix",
    "told": "reported",
    "(un)?heard": "found, received",
    "hears?": "receives",
    "deaf": "ignores its input",
    "foretells?|foretold": "predicts",
    "by heart": "memorized",
    "sigmas": "z = 46.7, p = 0.0001",
    "births?|born": "where the first NaN/Inf appears",
    "speaks?( of)?|spoken of": "is about",
    "listens": "uses its input",
    "that (is|are) whole|whole (checkpoint|recording)s?": "complete",
    "goes on|go on|going on|went on": "continue, resume",
    "stands? in the way": "prevents",
    "stands? (twice|there)": "is duplicated",
    "asks( for)?|asked( for)?": "requests, requires",
    "sums? up to": "sum to",
    "nobody|somebody|whoever|nobody's": "name the subject",
    "by eye": "by hand",
    "thaw(s|ed)?": "unfreeze",
    "surgery": "edit",
    "how manieth": "number",
    "beside": "next to, with",
    "so it is with|so do|so are": "N of M are affected",
    "the height of": "the peak of",
    "bit by bit|to the last bit": "bit-identical",
    "mis-?spelt|spelt": "spelled",
    "for ever": "forever",
    "over and over|again and again": "repeatedly",
    "made anew|anew": "again",
    "gone astray|goes astray|astray": "diverges",
    "is taken up|taken up|takes? (it|them) up": "loaded, used",
    "all the while": "at the same time",
    "peril|whence|thence|hither|thither|lest|alas|behold": "plain words",
    "splendid(ly)?": "good",
    "by intention|of intention": "on purpose",
    "upside down|turned round": "inverted, reversed",
    "in (the )?place of": "instead of",
    "cut short": "truncated, interrupted",
    "of one's own|of its own kind": "of your own",
    "cures?|cured": "fix",
    "to walk back|walked back": "backward",
    "nudged": "after a small change",
    "without a word": "silently",
    "knows? of": "has",
}  # fmt: skip
BRITISH = {
    "optimis(e|es|ed|ing|er|ers)": "optimiz-", "normalis(e|es|ed|ing|er|ation)": "normaliz-",
    "tokenis(e|es|ed|ing|er|ation)": "tokeniz-", "initialis(e|es|ed|ing|ation)": "initializ-",
    "(un)?recognis(e|es|ed|ing)": "recogniz-", "(un|re)?initialised": "initialized", "minimis(e|es|ed|ing)": "minimiz-",
    "maximis(e|es|ed|ing)": "maximiz-", "memoris(e|es|ed|ing)": "memoriz-", "penalis(e|es|ed|ing)": "penaliz-",
    "regularis(e|es|ed|ing|er|ation)": "regulariz-", "generalis(e|es|ed|ing|ation)": "generaliz-",
    "synchronis(e|es|ed|ing|ation)": "synchroniz-", "quantis(e|es|ed|ing|er|ation)": "quantiz-",
    "summaris(e|es|ed|ing)": "summariz-", "serialis(e|es|ed|ing)": "serializ-", "visualis(e|es|ed|ing)": "visualiz-",
    "behaviours?": "behavior", "colou(r|rs|red)": "color", "neighbou(r|rs|ring)": "neighbor",
    "favou(r|rs|red)": "favor",
    "(un)?learnt": "learned", "(mis)?labell(ed|ing)": "labeled", "cancell(ed|ing)": "canceled",
    "modelled|modelling": "modeled", "grey": "gray", "centre": "center", "licence": "license", "catalogues?": "catalog",
    "whilst": "while", "warm-up": "warmup",
}  # fmt: skip
FORBIDDEN = re.compile("|".join(rf"(?<![\w`])(?:{word})(?![\w`])" for word in (*INSTEAD, *BRITISH)), re.IGNORECASE)
# Text of others: error messages that are matched, names, and speech that is synthesized or drawn.
KEPT = re.compile(r"`[^`]*`|Format not recognised|born in <")
# Rewritten in another change: the report, what is printed, and the options of the commands.
PAGES = sorted([*ROOT.glob("playbooks/*.md"), *ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])


def violations(text: str) -> list[str]:
    """The forbidden words of a text."""
    return [match.group() for match in FORBIDDEN.finditer(KEPT.sub(" ", text))]


def user_strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """String literals of several words that are no docstrings, and the docstrings of click commands."""
    is_shown = {id(node.body[0].value): is_command(node) for node in ast.walk(tree) if has_docstring(node)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    shown = (node for node in texts if is_shown.get(id(node), True))
    yield from ((node.lineno, node.value) for node in shown if " " in node.value.strip())


def has_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None


def is_command(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(re.search(r"\.(command|group)\(", ast.unparse(one)) for one in decorators)


def prose(markdown: str) -> str:
    """The page without its code and its HTML."""
    return re.sub(r"(?ms)^```.*?^```$|^    .*?$|<[^>]*>", "", markdown)


@pytest.mark.parametrize("package", ["probes", "diagnose", "trainer"])
def test_no_forbidden_word_is_in_a_message_a_fix_or_a_help_text(package):
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        strings = user_strings(ast.parse(path.read_text(encoding="utf-8")))
        found += [f"{name}:{line}: {word!r} in {text!r}" for line, text in strings for word in violations(text)]
    assert not found, "\n".join(found)


def test_no_forbidden_word_is_in_the_title_of_a_probe():
    titles = {probe.id: probe.title for probe in discovery.probes().items}
    assert not [(id, title, words) for id, title in titles.items() if (words := violations(title))]


def test_no_forbidden_word_is_in_a_playbook_or_the_readme():
    found = [f"{path.name}: {word!r}" for path in PAGES for word in violations(prose(path.read_text(encoding="utf-8")))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["Nought is told.", "the optimiser", "learnt by heart", "a checkpoint that is whole"])
def test_a_forbidden_word_would_be_found(text):
    assert violations(text)


@pytest.mark.parametrize("text", ["`optimiser` is a name", "the amendment", "an optimizer", "Format not recognised"])
def test_other_words_are_not_forbidden(text):
    assert not violations(text)
