"""minicrawl key"""

import shlex
import time
from pathlib import Path

import click

from minicrawl.cli.help import Group
from minicrawl.cli.options import json_option, need_extra
from minicrawl.cli.output import document
from minicrawl.log import printable
from minicrawl.settings.requests import origin


@click.group(cls=Group, epilog="Example: minicrawl key new crawler.pem")
def command() -> None:
    """Keys that sign requests, so that sites can tell a crawler from others that use its name (docs/identity.md)."""
    need_extra("a key", "cryptography")


@command.command(epilog="Example: minicrawl key new crawler.pem")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def new(file: Path, as_json: bool) -> None:
    """Make an Ed25519 key in FILE, which nobody but you may read."""
    from minicrawl.crawler.http.signing import PATH, new_key

    key = new_key(file)
    if as_json:
        click.echo(document({"file": str(file), "keyid": key.id}))
        return
    named = shlex.quote(str(file))
    click.echo(f"{printable(str(file))}: a key with the id {key.id}")
    click.echo(f"Publish it: minicrawl key directory {named} > FILE, for {PATH} of your https origin")
    click.echo(f"Then sign:  minicrawl crawl ... --sign {named} --signature-agent https://YOUR-ORIGIN")


@command.command(epilog="Example: minicrawl key directory crawler.pem > http-message-signatures-directory")
@click.argument("files", metavar="KEYFILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--response", "host", metavar="HOST", help="Print the whole response of HOST, as a CGI program does: "
              "header fields, signed by every key for 90 days, an empty line, and the directory.")  # fmt: skip
def directory(files: tuple[Path, ...], host: str | None) -> None:
    """Print the public parts of keys as a directory (JSON), for /.well-known/http-message-signatures-directory.

    To change keys, publish the new one beside the old one, sign by it a day later, and then leave the old one out.
    """
    from minicrawl.crawler.http import signing

    keys = list({key.id: key for key in map(signing.read_key, files)}.values())
    if host is not None:
        authority = origin("response", host if host.startswith("https:") else f"https://{host}")[len("https://") :]
        for name, value in signing.directory_fields(keys, authority, int(time.time())):
            click.echo(f"{name}: {value}")
        click.echo()
    click.echo(signing.directory(keys), nl=False)
