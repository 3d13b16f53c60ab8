"""`diagnose serve`: the pages of all runs under a folder."""

from pathlib import Path

import click

from diagnose.common.errors import InputError
from diagnose.terminal import terminal


@click.command(epilog="Example: diagnose serve training/outputs")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
def serve(folder: Path, port: int) -> None:
    """Show the pages of all runs under a folder.

    Only this machine can open them, and nothing is written. Ctrl-C ends it.
    """
    from diagnose.page.serve import server_of

    try:
        server = server_of(folder, port)
    except OSError as error:
        raise InputError(f"port {port} cannot be opened ({error.strerror}); choose another with --port") from error
    terminal.print_result(f"http://{server.server_address[0]!s}:{server.server_address[1]}/")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            terminal.print_result("stopped")
