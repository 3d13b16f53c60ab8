"""A server of pages for one machine: loopback only, read only, no path outside the folder."""

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

from diagnose.page.page_index import SORTS, pages_in, sorted_pages
from diagnose.page.render import render
from diagnose.page.report_page import PAGE

HOST = "127.0.0.1"
LOCAL = (HOST, "localhost")  # another Host header is a page elsewhere that has its name point here
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:"


def server_of(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server on loopback; port 0 takes a free one."""
    root = folder.resolve()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = answer(root, self.headers.get("Host", ""), self.path)
            body = content.encode()
            self.send_response(status)
            for name, value in (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(body))),
                ("Content-Security-Policy", POLICY),
                ("X-Content-Type-Options", "nosniff"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Requests are not printed."""

    return ThreadingHTTPServer((HOST, port), Handler)


def answer(root: Path, host: str, target: str) -> tuple[HTTPStatus, str]:
    """The index at /, a page at its path beneath the folder, nothing else."""
    if host.partition(":")[0] not in LOCAL:
        return HTTPStatus.FORBIDDEN, "only this machine"
    asked = urlsplit(target)
    if asked.path == "/":
        return HTTPStatus.OK, index(root, parse_qs(asked.query).get("sort", ["date"])[0])
    path = (root / unquote(asked.path).lstrip("/")).resolve()
    if path.name == PAGE and path.is_relative_to(root) and path.is_file():
        return HTTPStatus.OK, path.read_text(encoding="utf-8")
    return HTTPStatus.NOT_FOUND, "there is no such page"


def index(root: Path, sort: str) -> str:
    """The list of all pages, read anew each time."""
    pages = sorted_pages(list(pages_in(root)), sort)
    about = {"title": f"Runs in {root.name}"}
    rows = [(f"/{quote(page.address)}", page) for page in pages]
    return render("index.html.j2", title=about["title"], about=about, rows=rows, sorts=SORTS, sort=sort)
