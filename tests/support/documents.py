"""README and the pages of docs/, as tests look at them: their blocks, commands, options and links."""

import re
import shlex
from pathlib import Path

import click

from minicrawl.cli import main

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

LAB = ROOT / "minicrawl" / "lab" / "README.md"
"""The papers' claims, each with the command that shows it."""

# What stands for something in a command that is shown, and an example of it.
_STANDS_FOR = {"PORT": "8000", "N": "4", "SEEDS...": "seeds.txt"}


def name(page: Path) -> str:
    """How a page is called in messages."""
    return page.relative_to(ROOT).as_posix()


def text(page: Path) -> str:
    """All of a page."""
    return page.read_text("utf-8")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page that are marked with a language; "": those that are not marked."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text(page), re.DOTALL | re.MULTILINE)
    return [block for marked, block in found if marked == language]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```\w*\n.*?^```$", "", text(page), flags=re.DOTALL | re.MULTILINE)


def spans(page: Path) -> list[str]:
    """What stands in backticks."""
    return [span.replace("\\|", "|") for span in re.findall(r"`([^`]+)`", prose(page))]


def shown_commands(page: Path) -> list[list[str]]:
    """The words of the minicrawl commands in fenced blocks, without the program's name."""
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("minicrawl ")]


def sessions(page: Path) -> list[list[str]]:
    """The same of commands that are shown with their output."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [shlex.split(line)[2:] for line in lines if line.startswith("$ minicrawl ")]


def named_commands(page: Path) -> list[list[str]]:
    """The same of commands in backticks."""
    return [shlex.split(span)[1:] for span in spans(page) if span.startswith("minicrawl ")]


def parse(words: list[str]) -> None:
    """Read a command line as the program does, and run nothing. Raises click.UsageError."""
    command: click.Command = main
    context = click.Context(main, info_name="minicrawl", help_option_names=["-h", "--help"])
    rest = [_STANDS_FOR.get(word, word) for word in words]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(context, rest[0])
        if found is None:
            raise click.UsageError(f"there is no command {rest[0]!r}")
        command, rest = found, rest[1:]
        context = click.Context(command, parent=context, info_name=command.name)
    if rest or not isinstance(command, click.Group):
        command.parse_args(context, rest)


def all_options() -> set[str]:
    """Every option of every command."""
    found: set[str] = set()
    left: list[click.Command] = [main]
    while left:
        command = left.pop()
        context = click.Context(command, help_option_names=["-h", "--help"])
        for parameter in command.get_params(context):
            found |= {option for option in (*parameter.opts, *parameter.secondary_opts) if option.startswith("-")}
        if isinstance(command, click.Group):
            left += [one for word in command.list_commands(context) if (one := command.get_command(context, word))]
    return found


def rows(page: Path) -> list[list[str]]:
    """The rows of a page's tables, as cells."""
    lines = re.findall(r"^\| (.*) ?\|$", text(page), re.MULTILINE)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in lines]


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead that stay in the tree."""
    found = re.findall(r'(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]', prose(page))
    return [target for target in found if "://" not in target]
