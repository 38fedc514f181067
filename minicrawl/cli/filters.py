"""Options by which commands show some pages only."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.analysis.owner.page_filter import PageFilter

_KEY = "minicrawl.filters"
_Command = TypeVar("_Command", bound=Callable[..., object])
_OPTIONS = {
    "state": ("WORDS", "Only pages in these states: waiting, fetched, alias, error, disallowed, gone."),
    "status": ("WORDS", "Only pages with these HTTP statuses: 404, 4xx, none."),
    "reason": ("WORDS", "Only pages with these reason codes: dns, redirect-*."),
    "site": ("DOMAINS", "Only pages of these hosts, or of hosts below these domains."),
    "depth": ("DEPTHS", "Only pages so many links from a seed: 2, 1-3, 4-."),
    "content-type": ("TYPES", "Only pages of these types: text/html, image/*."),
    "where": ("SQL", "Only pages for which this SQL expression on the columns of the view ranks is true."),
}


def filter_options(command: _Command) -> _Command:
    """An option for each way to show some pages only; what is given is in `given_filters`."""
    for name, (metavar, words) in reversed(_OPTIONS.items()):
        command = click.option(f"--{name}", metavar=metavar, help=words, callback=_note, expose_value=False)(command)
    return command


def given_filters() -> "PageFilter | None":
    """What the command was given; None if nothing."""
    from minicrawl.analysis.owner.page_filter import PageFilter

    given = click.get_current_context().meta.get(_KEY, {})
    return PageFilter(**given) if given else None


def refuse_filters(why: str) -> None:
    """Raise SettingError if filters are given where they have no place. why: the sentence, in which {} is an option."""
    for name in click.get_current_context().meta.get(_KEY, {}):
        raise SettingError(why.format(f"--{name.replace('_', '-')}"))


def _note(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta.setdefault(_KEY, {})[option.name] = value
