"""Reads one YAML file safely, with the line of every key."""

import re
from pathlib import Path

import yaml

from diagnose.common.errors import InputError
from trainer.config.layers import Layer
from trainer.config.yaml_nodes import YamlWalker, node_kind

MAX_BYTES = 256 * 1024
FLOAT = re.compile(r"[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+$")


class Loader(yaml.SafeLoader):
    """SafeLoader that also reads 1e-4 as a number; YAML 1.1 alone takes it for text."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+0123456789"))


def read_text(path: Path) -> str:
    """The text of a file of bounded size; a pipe or a device would block for ever."""
    if path.is_dir():
        raise InputError(f"{path} is a directory; pass a YAML file in it")
    if not path.exists():
        raise InputError(f"{path} does not exist; check the path of the configuration")
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; pass a YAML file")
    try:
        content = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
        return decode(path, content)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its permissions") from error


def decode(path: Path, content: bytes | None) -> str:
    if content is None:
        raise InputError(f"{path} is larger than {MAX_BYTES // 1024} KiB, too large for a configuration")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: not UTF-8 (byte 0x{content[error.start]:02x}); save the file as UTF-8"
        ) from error


def parse(text: str, name: str) -> tuple[Loader, yaml.Node | None]:
    """The graph of nodes. Aliases are not followed here, so nothing can explode."""
    try:
        loader = Loader(text)
        return loader, loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(f"{name}:{mark.line + 1 if mark else 1}: {yaml_error_message(error)}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"{name}:{line}: character #x{error.character:04x} is not allowed in YAML; delete it"
        ) from error
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply; a configuration has sections and keys") from error


def yaml_error_message(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "not valid YAML"
    if "'\\t'" in problem:
        return "a tab is used for indentation; YAML allows only spaces"
    if "single document" in (error.context or ""):
        return "a second YAML document starts here; keep one document in the file"
    return f"not valid YAML: {problem}; check colons, quotes and indentation there"


def read(path: Path) -> Layer:
    """One file as a layer."""
    loader, node = parse(read_text(path), str(path))
    if node is None:
        raise InputError(f"{path} is empty; a configuration has sections such as model: and training:")
    if not isinstance(node, yaml.MappingNode):
        raise InputError(
            f"{path}:{node.start_mark.line + 1}: expected sections such as model: and training:, "
            f"found a {node_kind(node)}"
        )
    walk = YamlWalker(loader, str(path))
    return Layer(walk.mapping(node, ""), walk.sources, tuple(walk.problems))
