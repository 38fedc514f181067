"""What follows from the settings: the options in docs/settings.md, and the types of the keywords of `minicrawl.crawl`.

python packaging/settings.py writes both.
"""

import re
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path

import click

from minicrawl.cli import main
from minicrawl.cli.crawl import command
from minicrawl.cli.help import TopicCommand
from minicrawl.settings import SETTINGS, CrawlSettings

ROOT = Path(__file__).parent.parent
PAGE, KEYWORDS = ROOT / "docs" / "settings.md", ROOT / "minicrawl" / "settings" / "keywords.py"
_TOLD_IN = {
    "limits": "coverage",
    "scope": "urls",
    "traps": "same-page",
    "politeness": "politeness",
    "order": "ranking",
    "refresh": "refresh",
    "focus": "ranking",
    "keep": "text",
    "rendering": "render",
    "archive": "archive",
    "identity": "identity",
    "logins": "logins",
    "http": "http",
    "running": "configuration",
}
"""Pages of docs/ by topic."""
_OF_ALL_COMMANDS = {"store", "as_json", "verbose", "quiet", "log_file", "log_format", "help"}


def page(text: str) -> str:
    """The page with the list as it is to be."""
    begin, end = text.index("**[Limits]"), text.index("Numbers have bounds")
    return text[:begin] + "".join(f"{line}\n" for line in _lines()) + text[end:]


def _lines() -> Iterator[str]:
    """Options by topic, each with its default and the first clause of its help."""
    root = click.Context(main, help_option_names=["-h", "--help"])
    context = command.make_context("crawl", [], root, resilient_parsing=True)
    assert isinstance(command, TopicCommand)
    for topic, (about, options) in command.topics(context).items():
        yield from (f"**[{topic.capitalize()}]({_TOLD_IN[topic]}.md)**: {about}", "")
        for option in options:
            assert isinstance(option, click.Option)
            spelling, _ = option.get_help_record(context) or ("", "")
            default = "on" if option.default is True else option.get_help_extra(context).get("default")
            clause = re.split(r"[.;]\s", " ".join((option.help or "").split()).rstrip("."), maxsplit=1)[0]
            if option.name not in _OF_ALL_COMMANDS:
                yield f"- `{spelling}`{f' (`{default}`)' if default else ''}: {clause}."
        yield ""


def keywords() -> str:
    """The module with the types of the keywords: of a number or a path its text will do, and one of several."""
    types = {one.name: one for one in fields(CrawlSettings)}
    lines = [
        '"""The keywords of `minicrawl.crawl` with their types, for editors: written by packaging/settings.py."""\n',
        "from collections.abc import Sequence",
        "from pathlib import Path",
        "from typing import TypedDict\n",
        "from minicrawl.web.http.header import Header",
        "from minicrawl.web.net.routes import ConnectTo, ProxyRule\n\n",
        "class Keywords(TypedDict, total=False):",
        '    """Settings by name, each as a value or as the text that the command line takes."""\n',
        *(f"    {name}: {_type_of(types[name])}" for name in SETTINGS),
    ]
    return "\n".join(lines) + "\n"


def _type_of(one: Field[object]) -> str:
    shown = one.type.__name__ if isinstance(one.type, type) else re.sub(r"[\w.]+\.", "", str(one.type))
    if match := re.match(r"tuple\[(\w+)", shown):
        is_own = match[1] in ("ConnectTo", "Header", "ProxyRule")
        if one.metadata.get("is_path"):
            return "str | Path | Sequence[str | Path]"
        return f"str | Sequence[{f'str | {match[1]}' if is_own else 'str'}]"
    if shown in ("str", "bool"):
        return shown
    return f"{shown.removesuffix(' | None')} | str{' | None' if shown.endswith(' | None') else ''}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    KEYWORDS.write_text(keywords(), "utf-8")
