"""Every bad configuration gets its own sentence, all of them at once, and no input hangs or explodes."""

import os
import time
from pathlib import Path

import pytest

from diagnose.common.errors import InputError
from trainer.config import load

DEEP = "[" * 5000
BOMB = "a: &a {k: [x, x, x, x, x, x, x, x, x]}\n" + "".join(
    f"{low}: &{low} {{<<: [{', '.join(['*' + high] * 9)}], m: [{', '.join(['*' + high] * 9)}]}}\n"
    for high, low in zip("abcdefgh", "bcdefghi", strict=True)
)

FILES = {
    b"": "c.yaml is empty; a configuration has sections such as model: and training:",
    b"# only talk\n": "c.yaml is empty; a configuration has sections such as model: and training:",
    b"- a\n- b\n": "c.yaml:1: expected sections such as model: and training:, found a sequence",
    b"hello\n": "c.yaml:1: expected sections such as model: and training:, found a scalar",
    b"training:\n\tseed: 1\n": "c.yaml:2: a tab is used for indentation; YAML allows only spaces",
    b"training:\n  seed: 1\n  name: \xe9\n": "c.yaml:3: not UTF-8 (byte 0xe9); save the file as UTF-8",
    b"training: {seed: 1\n": "c.yaml:2: not valid YAML: expected ',' or '}', but got '<stream end>'; "
    "check colons, quotes and indentation there",
    b"training:\n  seed: 1\n---\nmodel:\n": "c.yaml:3: a second YAML document starts here; "
    "keep one document in the file",
    b"training:\n  seed: \x07\n": "c.yaml:2: character #x0007 is not allowed in YAML; delete it",
    b"training:\n  seed: 1\n  seed: 2\n": "c.yaml:3: training.seed is duplicated, first in line 2; keep one",
    b"training:\n  on: 1\n": "c.yaml:2: training.on is not a string; write keys as strings, "
    "in quotes where YAML needs them",
    b"training:\n  seed: !!python/object/apply:os.system [ls]\n": "has the YAML tag 'python/object/apply:os.system'",
    b"training:\n  seed: !!timestamp x\n": "c.yaml:2: training.seed has the YAML tag 'timestamp'",
    b"training:\n  seed: 2020-13-45\n": "c.yaml:2: training.seed has the YAML tag 'timestamp'",
    DEEP.encode(): "c.yaml is nested too deeply; a configuration has sections and keys",
    b"training: &t\n  x: *t\n": "c.yaml: too many aliases or too much nesting near training.x.x",
    BOMB.encode(): "too many aliases or too much nesting near ",
    b"training:\n  <<: 3\n": "c.yaml:2: training.<< merges a value without keys; use a mapping",
    b"x: '" + b"y" * 300_000 + b"'": "c.yaml is larger than 256 KiB, too large for a configuration",
    b"_base_: 3\n": "c.yaml:1: _base_ is 3; expected the path of one YAML file, relative to this one",
    b"\n_base_: gone.yaml\n": "c.yaml:2: _base_ names gone.yaml, which does not exist; the path is relative to c.yaml",
}

VALUES = {
    "training: {batch_sise: 1}": "training.batch_sise is not a known key; did you mean training.batch_size?",
    "training: {num_workers: 1}": "training.num_workers is not a known key; did you mean dataloader.num_workers?",
    "trainning: {seed: 1}": "trainning is not a known key; did you mean training?",
    "training.seed: 1": "training.seed is a key with a dot; write the section and the key on two lines",
    "zebra: 1": "zebra is not a known key; "
    "the file has paths, data, audio, augmentation, model, training, dataloader, evaluation, output",
    "training: 5": "training is 5; expected a section with keys",
    "training: {batch_size: 0}": "training.batch_size is 0; expected at least 1",
    "training: {batch_size: true}": "training.batch_size is true; expected a number",
    "training: {batch_size: 1.5}": "training.batch_size is 1.5; expected an integer",
    "training: {batch_size: {a: 1}}": "training.batch_size is {a: 1}; expected an integer",
    "training: {learning_rate: fast}": "training.learning_rate is fast; expected a number",
    "training: {learning_rate: .nan}": "training.learning_rate is .nan; expected a finite number",
    "training: {learning_rate: -1}": "training.learning_rate is -1; expected more than 0",
    "training: {warmup_ratio: 1.5}": "training.warmup_ratio is 1.5; expected less than 1",
    "training: {fp16: maybe}": "training.fp16 is maybe; expected true or false",
    "training: {eval_strategy: often}": "training.eval_strategy is often; expected no, steps or epoch",
    "training: {keep_fp32: 3}": "training.keep_fp32 is 3; expected a list",
    "model: {ctc_weight: 1.5}": "model.ctc_weight is 1.5; expected at most 1",
    "model: {language: no}": "model.language is false; expected text (YAML reads a bare yes, no, on or off as "
    "true or false: quote it)",
    "model: {name: ''}": "model.name is ''; expected a non-empty string",
    "model: {type: [a]}": "model.type is [a]; expected whisper, e2e, hybrid or mt5",
    "model: {random: {vocabulary: x}}": "model.random.vocabulary is x; expected characters or an integer",
    "output: {experiment_name: a/b}": "output.experiment_name is a/b; expected letters, digits and . _ + - only",
    "paths: {data_root: 3}": "paths.data_root is 3; expected a path",
    "training: {epochs: 1, num_train_epochs: 2}": "training.epochs is 1, but training.num_train_epochs, the same "
    "setting, is 2; keep one",
    "training: {fp16: true, bf16: true}": "training.fp16 and training.bf16 are both true; keep one",
    "training: {save_steps: 30, eval_steps: 20}": "training.save_steps is 30, not a multiple of eval_steps (20), so "
    "the best model might never be saved; use a multiple, or set load_best_model_at_end to false",
    "training: {eval_strategy: no}": "training.load_best_model_at_end needs evaluation and saving at the same steps, "
    "but eval_strategy is no and save_strategy is steps; make them equal (steps or epoch)",
    "training: {early_stopping_patience: 2, eval_strategy: no, load_best_model_at_end: false}": "training.early_"
    "stopping_patience needs evaluations, but training.eval_strategy is no; set it to steps or epoch",
    "training: {warmup_ratio: 0.1, warmup_steps: 5}": "training.warmup_ratio and training.warmup_steps are both set; "
    "set one to 0",
    "training: {max_steps: 0}": "training.max_steps is 0, so nothing is trained; -1 trains for num_train_epochs",
    "training: {ctc_only_steps: 5}": "training.ctc_only_steps requests CTC-only steps, but model.ctc_weight is 0"
    "; set a weight above 0",
    "model: {type: e2e}": "model.type is e2e, but no source of weights is set; set model.encoder and "
    "model.decoder or model.random",
    "model: {type: e2e, encoder: a/b}": "model.type is e2e, but no source of weights is set; set "
    "model.encoder and model.decoder or model.random",
    "model: {type: hybrid}": "model.type is hybrid, but no source of weights is set; set model.name "
    "(a trained directory) or model.random",
    "model: {name: a/b, random: {}}": "model.name is a/b, but model.random requests random weights; set one of the two "
    "to null",
    "model: {random: {hidden: 10}}": "model.random.hidden is 10, which is not divisible by 4 heads; change one of them",
    "model: {type: mt5, task: both}": "model.task is both, which a model of type mt5 does not "
    "support; its task is summarize",
    "model: {task: summarize}": "model.task is summarize, which a model of type whisper does not support; its task is "
    "transcribe, translate or both",
    "model: {type: mt5, ctc_weight: 0.1}": "model.ctc_weight needs speech, but mt5 uses text; remove it",
    "model: {chunk_size: 8}": "model.chunk_size is for hybrid; whisper has no chunks; remove it",
    "audio: {min_length_seconds: 40}": "audio.min_length_seconds is 40.0, expected less than "
    "audio.max_length_seconds (30.0); "
    "lower it",
}

OVERRIDES = {
    "training.seed": "--set: 'training.seed' is not of the form section.key=value, such as training.batch_size=2",
    "=3": "--set: '=3' is not of the form section.key=value, such as training.batch_size=2",
    "training..seed=3": "--set: 'training..seed=3' is not of the form section.key=value",
    "_base_=x.yaml": "--set: _base_ can only be set in a file; pass that file with --config",
    "training.seed=[1": "--set: training.seed is '[1', which is not valid YAML; quote it",
    "training.sed=1": "--set: training.sed is not a known key; did you mean training.seed?",
    "training.seed.x=1": "--set: training.seed is {x: 1}; expected an integer",
}


@pytest.fixture(autouse=True)
def below(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def sentence(path="c.yaml", overrides=()):
    with pytest.raises(InputError) as caught:
        load(path, overrides)
    assert caught.value.exit_code == 2
    return caught.value.message


@pytest.mark.parametrize(("content", "said"), FILES.items(), ids=range(len(FILES)))
def test_a_bad_file_gets_one_sentence(content, said):
    Path("c.yaml").write_bytes(content)
    started = time.process_time()
    found = sentence()
    assert said in found
    assert "\n" not in found or "\n  c.yaml:" in found
    assert time.process_time() - started < 5


@pytest.mark.parametrize(("text", "said"), VALUES.items())
def test_a_bad_value_is_named_with_its_file_line_and_key(text, said):
    Path("c.yaml").write_text("\n\n" + text, encoding="utf-8")
    assert sentence() == f"c.yaml:3: {said}"


@pytest.mark.parametrize(("text", "said"), OVERRIDES.items())
def test_a_bad_override_is_named(text, said):
    Path("c.yaml").write_text("training: {seed: 1}", encoding="utf-8")
    assert sentence(overrides=[text]).startswith(said)


def test_everything_that_is_wrong_is_told_at_once():
    Path("base.yaml").write_text("training:\n  seed: x\n  fp16: true\n  bf16: true\n", encoding="utf-8")
    Path("c.yaml").write_text("_base_: base.yaml\nmodell: {}\nmodel:\n  type: e2e\n", encoding="utf-8")
    lines = sentence(overrides=["what", "audio.rate=1"]).splitlines()
    assert lines[0] == "c.yaml has 6 errors:"
    assert {line.split(": ")[0].strip() for line in lines[1:]} == {
        "base.yaml:2",
        "base.yaml:3",
        "c.yaml:2",
        "c.yaml:4",
        "--set",
    }


def test_a_circle_names_its_chain():
    Path("a.yaml").write_text("_base_: b.yaml\n", encoding="utf-8")
    Path("b.yaml").write_text("_base_: ./a.yaml\n", encoding="utf-8")
    said = "b.yaml: _base_ is circular (a.yaml -> b.yaml -> a.yaml); remove one of these _base_ lines"
    assert sentence("a.yaml") == said


def test_what_is_no_file_is_named():
    Path("folder.yaml").mkdir()
    os.mkfifo("pipe.yaml")
    assert sentence("gone.yaml") == "gone.yaml does not exist; check the path of the configuration"
    assert sentence("folder.yaml") == "folder.yaml is a directory; pass a YAML file in it"
    assert sentence("pipe.yaml") == "pipe.yaml is not a regular file; pass a YAML file"
