"""minicrawl config, minicrawl key, minicrawl completion"""

import json
import shlex
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from minicrawl.cli.help import Group
from minicrawl.cli.option_sources import crawl_options, tables_of_file, take_file
from minicrawl.cli.options import Choice, json_option, need_extra
from minicrawl.cli.output import document
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.parts import module
from minicrawl.setting import https_origin


@click.group(cls=Group, epilog="Example: minicrawl config init")
def command() -> None:
    """Set options in a file or in the environment, instead of on every command line.

    A flag wins over the environment (MINICRAWL_CRAWL_DELAY), which wins over minicrawl.toml in the current folder,
    which wins over what a store remembers and over the default.
    """


@command.command(epilog="Example: minicrawl config show")
@json_option
def show(as_json: bool) -> None:
    """Print the settings of a crawl without any flags, and where each comes from.

    What a store remembers is not included: 'minicrawl crawl --show-settings' prints that.
    """
    from minicrawl.cli.crawl import command as crawl
    from minicrawl.cli.crawl import print_settings
    from minicrawl.cli.options import given_options
    from minicrawl.settings import SETTINGS

    root = click.get_current_context().find_root()
    take_file(root, crawl, "crawl")
    with crawl.make_context("crawl", [], parent=root) as context:
        options = {name: context.params[name] for name in SETTINGS}
        given, sources = given_options(context, options, context.params["profile"], context.params["store"])
    print_settings(given, sources, (), None, as_json)


@command.command(epilog="Example: minicrawl config check")
def check() -> None:
    """Check the file of options: exit 0, or exit 2 and say what is wrong."""
    from minicrawl.cli.crawl import command as crawl
    from minicrawl.extract.selectors import check_selectors
    from minicrawl.settings import SETTINGS, CrawlSettings

    file, tables = tables_of_file(click.get_current_context())
    if file is None:
        click.echo("There is no file of options; 'minicrawl config init' writes one.")
        return
    given = crawl_options(file, tables, crawl)
    try:
        check_selectors(CrawlSettings.of({name: value for name, value in given.items() if name in SETTINGS}))
    except SettingError as error:
        raise SettingError(f"{file}: {error}") from error
    click.echo(f"{printable(str(file))}: {counted(len(given) + ('store' in tables), 'option')}")


@command.command(epilog="Example: minicrawl config init")
def init() -> None:
    """Write minicrawl.toml to the current folder: every setting of a crawl with its default and help, commented out."""
    path = Path("minicrawl.toml")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write("\n".join(_template()) + "\n")
    except FileExistsError as error:
        raise SettingError(f"{path} already exists; change it, or delete it first") from error
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"{path} is written; remove the # from the options you want.")


def _template() -> Iterator[str]:
    """The lines of a file with every setting commented out."""
    from minicrawl.settings import DEFAULT_STORE, SETTINGS

    yield "# Options of minicrawl. Flags and the environment win over these, as in MINICRAWL_CRAWL_DELAY."
    yield ""
    yield "# The crawl's file, of all commands."
    yield f"# store = {json.dumps(str(DEFAULT_STORE))}"
    yield ""
    yield "[crawl]"
    for name, setting in SETTINGS.items():
        yield ""
        yield from textwrap.wrap(setting.meaning, 100, initial_indent="# ", subsequent_indent="# ")
        example = setting.metavar if setting.shown in (None, "", ()) else setting.shown
        yield f"# {name.replace('_', '-')} = {json.dumps([example] if setting.shown == () else example)}"


@click.command(epilog="Example: minicrawl completion bash >> ~/.bashrc")
@click.argument("shell", type=Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and files when you press Tab in SHELL.

    Nothing is written: append it to a file that the shell reads at its start. For fish that is
    ~/.config/fish/completions/minicrawl.fish.
    """
    found = get_completion_class(shell)
    assert found is not None
    names = {"prog_name": "minicrawl", "complete_func": "_minicrawl_completion"}
    click.echo(found.source_template % {**names, "complete_var": "_MINICRAWL_COMPLETE"})


@click.group(cls=Group, epilog="Example: minicrawl key new crawler.pem")
def key() -> None:
    """Make keys that sign requests, so that sites can tell your crawler from impostors (docs/identity.md)."""
    need_extra("a key", "cryptography")


@key.command(epilog="Example: minicrawl key new crawler.pem")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def new(file: Path, as_json: bool) -> None:
    """Make an Ed25519 key in FILE that only you can read."""
    signing = module("signing.keys")
    key = signing.new_key(file)
    if as_json:
        click.echo(document({"file": str(file), "keyid": key.id}))
        return
    named = shlex.quote(str(file))
    click.echo(f"{printable(str(file))}: a key with the id {key.id}")
    click.echo(f"Publish it: minicrawl key directory {named} > FILE, for {signing.PATH} of your https origin")
    click.echo(f"Then sign:  minicrawl crawl ... --sign {named} --signature-agent https://YOUR-ORIGIN")


@key.command(epilog="Example: minicrawl key directory crawler.pem > http-message-signatures-directory")
@click.argument("files", metavar="KEYFILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--response", "host", metavar="HOST",
              help="Print a whole HTTP response for HOST, as a CGI program does: headers, signed by every key for 90 "
                   "days, a blank line, and the directory.")  # fmt: skip
def directory(files: tuple[Path, ...], host: str | None) -> None:
    """Print the public keys as a JSON directory, for /.well-known/http-message-signatures-directory.

    To change keys, publish the new one beside the old one, sign with it a day later, then drop the old one.
    """
    signing = module("signing.keys")
    keys = list({key.id: key for key in map(signing.read_key, files)}.values())
    if host is not None:
        url = host if host.startswith("https:") else f"https://{host}"
        authority = https_origin("response", url).removeprefix("https://")
        for name, value in signing.directory_fields(keys, authority, int(time.time())):
            click.echo(f"{name}: {value}")
        click.echo()
    click.echo(signing.directory(keys), nl=False)
