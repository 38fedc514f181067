"""minicrawl dashboard, minicrawl mcp"""

import asyncio
import os
import secrets
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import is_quiet, logging_options, need_extra, store_option
from minicrawl.errors import SettingError
from minicrawl.log import printable
from minicrawl.system import on_signals

if TYPE_CHECKING:
    from minicrawl.dashboard.readings import Readings


_LEAST_TOKEN = 16


@click.command(epilog="Example: minicrawl dashboard --open --store data/web")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Listen on this port.  [default: any free one]")
@click.option("--open", "opens", is_flag=True, help="Open the dashboard in the browser.")
@click.option("--token-file", type=click.Path(dir_okay=False, path_type=Path),
              help="Read the token from this file, or create the file, so that Prometheus can use it and the "
                   "address stays the same.")  # fmt: skip
@click.argument("crawl", required=False, type=click.Path(path_type=Path), metavar="[STORE]")
@store_option
@logging_options
def command(port: int, opens: bool, token_file: Path | None, crawl: Path | None, store: Path) -> None:
    """Watch and steer a crawl in the browser. STORE: the crawl's file or its folder of partitions, as with --store.

    The crawl may be running or not. Several people can watch at once. Only this machine can reach the dashboard, and
    only those who have the printed address, with its token, can see or do anything. Ctrl-C ends the dashboard, not
    the crawl.
    """
    from minicrawl.dashboard.readings import Readings
    from minicrawl.store.folder import check_schema

    check_schema(crawl or store)
    token = None if token_file is None else token_of(token_file)
    with suppress(KeyboardInterrupt):  # the normal way to end it
        asyncio.run(_serve(Readings(crawl or store), port, token, opens=opens))


async def _serve(readings: "Readings", port: int, token: str | None, *, opens: bool) -> None:
    """Serve until a signal."""
    from minicrawl.dashboard.serving import serving

    async with serving(readings, port, token) as address:
        click.echo(address)
        if not is_quiet():
            click.echo(f"The dashboard of {printable(str(readings.path))}; Ctrl-C ends it, not the crawl.", err=True)
        with _opened(address) if opens else nullcontext():
            end = asyncio.Event()
            with on_signals(asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM), end.set):
                await end.wait()


@contextmanager
def _opened(address: str) -> Iterator[None]:
    """Open an address in the browser, by a file that redirects to it: arguments are visible to all users."""
    import tempfile
    import webbrowser

    def open_page(page: str) -> None:
        if not webbrowser.open(page):
            click.echo("No browser was found: open the address yourself.", err=True)

    with tempfile.TemporaryDirectory(prefix="minicrawl-") as folder:
        page = Path(folder, "dashboard.html")
        page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">', encoding="ascii")
        # Some browsers return only when they are closed.
        threading.Thread(target=open_page, args=(page.as_uri(),), daemon=True, name="minicrawl-browser").start()
        yield


def token_of(path: Path) -> str:
    """Read the token in a private file, or create one. Raises SettingError."""
    try:
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            token = path.read_text(encoding="ascii").strip()
            mode = path.stat().st_mode
        else:
            token, mode = secrets.token_urlsafe(24), 0o600
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(f"{token}\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"--token-file {path} cannot be used: {error}; name another file") from error
    if mode & 0o077:
        raise SettingError(f"--token-file {path} can be read by others: chmod 600 {path}")
    if len(token) < _LEAST_TOKEN or not all(char.isalnum() or char in "-_" for char in token):
        raise SettingError(f"--token-file {path} must hold {_LEAST_TOKEN} letters, digits, - or _ at least: remove it")
    return token


@click.command(epilog="Example: minicrawl mcp --store data/docs.db")
@click.option("--port", type=click.IntRange(0, 65535),
              help="Serve over HTTP on this port of 127.0.0.1 instead of standard input; 0: any free "
                   "one.")  # fmt: skip
@click.option("--token-file", type=click.Path(dir_okay=False, path_type=Path),
              help="With --port: read the token from this file, or create the file.")  # fmt: skip
@click.option("--allow-control", is_flag=True, help="Also offer a tool that pauses or stops the crawl and adds seeds.")
@store_option
@logging_options
def mcp(port: int | None, token_file: Path | None, allow_control: bool, store: Path) -> None:
    """Let an assistant search and read the pages of a crawl, using the Model Context Protocol (MCP).

    The assistant starts this command itself and talks to it on standard input and output: see docs/assistants.md.
    With --port, assistants connect to the printed address, and send the line below it with each request. The crawl
    may be running. Nothing is requested from the web.
    """
    if token_file is not None and port is None:
        raise SettingError("--token-file goes with --port, for HTTP; give both, or leave it out")
    need_extra("minicrawl mcp", "mcp")
    from minicrawl.assistant.serving import serve_http, server_of

    server = server_of(store, allows_control=allow_control)
    if port is None:
        for kind in (signal.SIGINT, signal.SIGTERM):  # no exception ends the thread that waits for standard input
            signal.signal(kind, signal.SIG_DFL)
        server.run("stdio")
        return
    token = secrets.token_urlsafe(24) if token_file is None else token_of(token_file)
    asyncio.run(
        serve_http(server, port, token, lambda address: click.echo(f"{address}\nAuthorization: Bearer {token}"))
    )
