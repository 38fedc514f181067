"""Man pages of all commands, from their own help: python packaging/man.py writes them into the folder man/."""

import re
from inspect import cleandoc
from pathlib import Path

import click
from click_man.core import write_man_pages

from minicrawl import __version__
from minicrawl.cli import main


def write(folder: Path) -> None:
    """Write a page for every command, the program and groups included, into this folder."""
    folder.mkdir(exist_ok=True)
    context = click.Context(main)
    loaded = {name: main.get_command(context, name) for name in main.list_commands(context)}
    main.commands.update({name: command for name, command in loaded.items() if command is not None})
    _prepare(main)
    write_man_pages("minicrawl", main, version=__version__, target_dir=str(folder))


def _prepare(command: click.Command) -> None:
    """Say in full, and in roff, what click shortens or marks for a terminal, in the commands of a group, too."""
    text = cleandoc(command.help or "")
    command.short_help = re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]
    text = f"{text}\n\n{command.epilog}" if command.epilog else text
    command.help = re.sub(r"\x08\n(.*?)(?=\n\n|\Z)", r".nf\n\1\n.fi", _roff(text), flags=re.DOTALL)
    for option in command.params:
        if isinstance(option, click.Option) and option.help:
            option.help = _roff(option.help)
    if isinstance(command, click.Group):
        for one in command.commands.values():
            _prepare(one)


def _roff(text: str) -> str:
    """Text in which a backslash is one, and a dot or quote that begins a line calls no macro."""
    return re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", r"\e"), flags=re.MULTILINE)


if __name__ == "__main__":
    write(Path("man"))
