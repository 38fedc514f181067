"""minicrawl man"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from minicrawl import __version__
from minicrawl.cli.options import logging_options
from minicrawl.cli.output import counted
from minicrawl.errors import SettingError


@click.command(epilog="Example: minicrawl man man1")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@logging_options
def command(folder: Path) -> None:
    """Write a man page for minicrawl and for each of its commands into FOLDER: 'man -l FOLDER/minicrawl-crawl.1'."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        pages = 0
        for words, one in commands(click.get_current_context().find_root().command):
            path = folder / f"{'-'.join(words)}.1"
            path.write_text(man_page(words, one), encoding="utf-8")
            pages += 1
    except OSError as error:
        raise SettingError(f"{folder} cannot be written: {error.strerror}") from error
    click.echo(f"{counted(pages, 'page')} written to {folder}")


def commands(
    command: click.Command, words: tuple[str, ...] = ("minicrawl",)
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all those below it, with their words."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (one := command.get_command(context, name)) is not None:
                yield from commands(one, (*words, name))


def man_page(words: tuple[str, ...], command: click.Command) -> str:
    """The man page of a command, for troff."""
    context = click.Context(command, info_name=" ".join(words))
    name, text = "-".join(words), inspect.cleandoc(command.help or "")
    summary = re.split(r"\.(?=\s|$)", text)[0]
    lines = [
        f'.TH "{name.upper()}" "1" "" "minicrawl {__version__}" "minicrawl"',
        ".SH NAME",
        f"{plain(name)} \\- {plain(' '.join(summary.split()))}",
        ".SH SYNOPSIS",
        f".B {plain(' '.join(words))}",
        plain(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_paragraphs(text),
        ".SH OPTIONS",
    ]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            lines += [".TP", f".B {plain(record[0])}", plain(" ".join(record[1].split()))]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for one in command.list_commands(context):
            lines += [".TP", f".B {plain(f'{name}-{one}')}(1)"]
    if command.epilog:
        lines += [".SH EXAMPLE", plain(command.epilog.removeprefix("Example: "))]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; what follows \\b stands as it is."""
    for paragraph in text.split("\n\n"):
        is_literal = paragraph.startswith("\b")
        lines = paragraph.removeprefix("\b").strip("\n").splitlines()
        yield ".PP"
        yield from (".nf", *map(plain, lines), ".fi") if is_literal else (plain(" ".join(lines)),)


def plain(text: str) -> str:
    """A line that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)
