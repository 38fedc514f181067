"""The options in docs/settings.md, from the help of 'minicrawl crawl': python packaging/settings.py writes it."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from minicrawl.cli import main
from minicrawl.cli.crawl import command
from minicrawl.cli.help import TopicCommand

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
_OF_ALL_COMMANDS = {"store", "as_json", "verbose", "quiet", "log_file", "log_format", "help"}


def page(text: str) -> str:
    """The page with the list as it is to be."""
    begin, end = text.index("**Limits**"), text.index("Numbers have bounds")
    return text[:begin] + "".join(f"{line}\n" for line in _lines()) + text[end:]


def _lines() -> Iterator[str]:
    """Options by topic, each with its default and the first clause of its help."""
    root = click.Context(main, help_option_names=["-h", "--help"])
    context = command.make_context("crawl", [], root, resilient_parsing=True)
    assert isinstance(command, TopicCommand)
    for topic, (about, options) in command.topics(context).items():
        yield from (f"**{topic.capitalize()}**: {about}", "")
        for option in options:
            assert isinstance(option, click.Option)
            spelling, _ = option.get_help_record(context) or ("", "")
            default = option.get_help_extra(context).get("default")
            clause = re.split(r"[.;]\s", " ".join((option.help or "").split()).rstrip("."), maxsplit=1)[0]
            if option.name not in _OF_ALL_COMMANDS:
                yield f"- `{spelling}`{f' (`{default}`)' if default else ''}: {clause}."
        yield ""


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
