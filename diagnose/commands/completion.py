"""`completion`: what a shell needs to complete the commands and options of `diagnose` or `train` with the Tab key."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from diagnose.common.errors import InputError
from diagnose.terminal import terminal

STARTUP = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
SHELL = click.Choice(list(STARTUP))


@click.command(epilog="Examples: diagnose completion bash --install; train completion bash --install")
@click.argument("shell", required=False, type=SHELL)
@click.option("--install", is_flag=True, help="Add it to the shell's startup file instead.")
@click.pass_context
def completion(context: click.Context, shell: str | None, install: bool) -> None:
    """Set up shell completion with the Tab key.

    Prints the script of SHELL (by default, of $SHELL). With --install, the script is written to a file, and a line
    that reads it is added to the shell's startup file, once.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    if shell not in STARTUP:
        raise InputError(f"the shell {shell or '(unknown)'!r} is not supported; name one of {', '.join(STARTUP)}")
    root = context.find_root()
    script = script_of(root.command, str(root.info_name), shell)
    if not install:
        terminal.print_result(script)
        return
    startup = install_script(script, str(root.info_name), shell)
    terminal.print_result(f"installed in {startup}; start a new shell to use it")


def script_of(command: click.Command, program: str, shell: str) -> str:
    maker = get_completion_class(shell)
    assert maker is not None, shell
    variable = f"_{program.replace('-', '_').upper()}_COMPLETE"
    one = maker(command, {}, program, variable)
    return one.source_template % one.source_vars()  # source() would start bash to ask for its version


def install_script(script: str, program: str, shell: str) -> Path:
    """Writes the script, and the line that reads it; returns the startup file."""
    from platformdirs import user_data_path

    path = user_data_path("gonogo", appauthor=False) / f"{program}-completion.{shell}"
    startup = Path.home() / STARTUP[shell]
    line = f"source '{path}'\n"
    try:
        for folder in (path.parent, startup.parent):
            folder.mkdir(parents=True, exist_ok=True)
        path.write_text(script, encoding="utf-8")
        before = startup.read_text(encoding="utf-8") if startup.exists() else ""
        if line not in before:
            with startup.open("a", encoding="utf-8") as file:
                file.write("" if before.endswith("\n") or not before else "\n")
                file.write(line)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written ({error.strerror}); print the script instead") from error
    return startup
