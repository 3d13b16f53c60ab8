"""Merging, overriding and writing back, for whatever values there are."""

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from diagnose.common.flat_keys import flatten_keys
from trainer.config import load
from trainer.config.layers import Layer, Source, deep_merge, merge
from trainer.config.yaml_writer import to_inline_yaml, to_yaml

words = st.sampled_from("abcd")
values = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)
trees = st.recursive(
    st.dictionaries(words, values, max_size=3),
    lambda inner: st.dictionaries(words, values | inner, max_size=3),
    max_leaves=8,
)


def layer(tree, name):
    return Layer(tree, {key: Source(name) for key in flatten_keys(tree)})


@given(trees, trees)
def test_what_the_higher_layer_says_always_wins(low, high):
    merged = flatten_keys(deep_merge(low, high))
    said = {key: value for key, value in flatten_keys(high).items() if value != {}}
    assert said.items() <= merged.items()


@given(trees)
def test_merging_with_nothing_or_itself_changes_nothing(tree):
    assert deep_merge(tree, {}) == deep_merge({}, tree) == deep_merge(tree, tree) == tree


@given(trees, trees, trees)
def test_layers_may_be_merged_in_any_grouping(low, middle, high):
    """Not so where a section gives way to a plain value and comes back: there the order of reading is the law."""
    left = deep_merge(deep_merge(low, middle), high)
    right = deep_merge(low, deep_merge(middle, high))
    revived = {key for key, value in flatten_keys(middle).items() if not isinstance(value, dict)} & set(sections(high))
    if not revived:
        assert left == right


def sections(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield prefix + key
            yield from sections(value, f"{prefix}{key}.")


@given(trees, trees)
def test_every_value_remembers_the_layer_that_said_it(low, high):
    merged = merge(layer(low, "low"), layer(high, "high"))
    said = flatten_keys(high)
    for key, value in flatten_keys(merged.tree).items():
        if value != {}:
            assert merged.sources[key].name == ("high" if key in said else "low")


@given(trees, trees)
def test_merging_leaves_its_arguments_alone(low, high):
    before = yaml.safe_dump([low, high])
    deep_merge(low, high)
    assert yaml.safe_dump([low, high]) == before


texts = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12)
numbers = st.floats(min_value=1e-300, max_value=1e300)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@example(rate=1e-4, seed=0, name="\x85\u2028x", prefix="\u2029 ")
@example(rate=1e-4, seed=0, name="0E0", prefix="1e-4")
@given(rate=numbers, seed=st.integers(0, 2**32 - 1), name=texts, prefix=texts)
def test_a_resolved_configuration_reads_back_as_itself(rate, seed, name, prefix):
    given_values = {"learning_rate": rate, "seed": seed}
    tree = {"model": {"name": name, "source_prefix": prefix}, "training": given_values}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.yaml"
        path.write_text(to_yaml(tree), encoding="utf-8")
        resolved = load(path)
        path.write_text(resolved.to_yaml(), encoding="utf-8")
        again = load(path)
        path.write_text(resolved.annotated(), encoding="utf-8")
        annotated = load(path)
        overridden = load(
            path, [f"model.name={to_inline_yaml(name)}", f"training.learning_rate={to_inline_yaml(rate)}"]
        )
    assert resolved.config == again.config == annotated.config == overridden.config
    assert (resolved.config.model.name, resolved.config.training.learning_rate) == (name, rate)
    assert resolved.to_yaml() == again.to_yaml()
