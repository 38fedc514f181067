"""minicrawl mcp"""

import asyncio
import secrets
import signal
from pathlib import Path

import click

from minicrawl.cli.dashboard import token_of
from minicrawl.cli.options import logging_options, need_extra, store_option
from minicrawl.errors import SettingError


@click.command(epilog="Example: minicrawl mcp --store data/docs.db")
@click.option("--port", type=click.IntRange(0, 65535),
              help="Serve by HTTP at this port of 127.0.0.1, not on standard input; 0: any free one.")  # fmt: skip
@click.option("--token-file", type=click.Path(dir_okay=False, path_type=Path),
              help="With --port: take the token from this file, which is made if it is not there.")  # fmt: skip
@click.option("--allow-control", is_flag=True, help="With a tool that pauses and stops the crawl, and adds seeds.")
@store_option
@logging_options
def command(port: int | None, token_file: Path | None, allow_control: bool, store: Path) -> None:
    """Let an assistant search and read the pages of a crawl, by the Model Context Protocol (MCP).

    An assistant starts this command itself, and speaks with it on standard input and output: docs/assistants.md says
    how. With --port, assistants connect to the address that is printed, and send the line below it with each request.
    The crawl may run meanwhile. Nothing is asked of the web.
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
