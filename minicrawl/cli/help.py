"""Help of a crawl by topic: a dozen options first, all others by the groups of settings.

minicrawl crawl --help              the options of FIRST, and the topics
minicrawl crawl --help politeness   all options of a topic
minicrawl crawl --help all          all options
"""

import re
from functools import cached_property

import click

from minicrawl.errors import SettingError, hint
from minicrawl.settings.options import TOPICS

FIRST = (
    *("pages", "time", "until_coverage", "scope", "max_depth", "deny", "delay", "contact"),
    *("search", "profile", "store"),
)
"""Options of the first page, by the names of their parameters."""
ALL, REST = "all", "running"
_FIRST_PAGE = ""


class Group(click.Group):
    """A group of commands whose list has the first sentence of each, whole."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(1_000)) for name, command in commands if command])


class TopicCommand(click.Command):
    """A command with an option for every setting of a crawl. Its help takes a topic."""

    @cached_property
    def _help(self) -> click.Option:  # click compares it by identity
        return click.Option(
            ("-h", "--help"),
            is_flag=False,
            flag_value=_FIRST_PAGE,
            metavar="[TOPIC]",
            is_eager=True,
            expose_value=False,
            callback=self._show,
            help="Show this message, or a topic's options.",
        )

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return self._help

    def _show(self, ctx: click.Context, _: click.Parameter, topic: str | None) -> None:
        if topic is not None and not ctx.resilient_parsing:
            click.echo(self.first_page(ctx) if topic == _FIRST_PAGE else self.page(ctx, topic), color=ctx.color)
            ctx.exit()

    def topics(self, ctx: click.Context) -> "dict[str, tuple[str, list[click.Parameter]]]":
        """Every topic with its description and options, in the order of the groups of settings."""
        options = {one.name: one for one in self.get_params(ctx) if isinstance(one, click.Option) and not one.hidden}
        topics: dict[str, tuple[str, list[click.Parameter]]] = {
            topic: (about, [options.pop(name) for name in settings]) for topic, (about, settings) in TOPICS.items()
        }
        return topics | {REST: ("What a run says and remembers; where options come from.", list(options.values()))}

    def first_page(self, ctx: click.Context) -> str:
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        options = {one.name: one for one in self.get_params(ctx) if isinstance(one, click.Option)}
        with formatter.section("Options"):
            formatter.write_dl([_brief(options[name], ctx) for name in (*FIRST, "help")])
        with formatter.section(f"Topics ('{ctx.command_path} --help TOPIC'; {ALL}: every option)"):
            formatter.write_dl([(name, _clause(about)) for name, (about, _) in self.topics(ctx).items()])
        self.format_epilog(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def page(self, ctx: click.Context, topic: str) -> str:
        """The help page of a topic, or of all. Raises SettingError for an unknown topic."""
        topics = self.topics(ctx)
        if topic not in (*topics, ALL):
            way_out = hint(topic, topics, f"there are {', '.join(topics)} and {ALL}")
            raise SettingError(f"--help has no topic {topic!r}; {way_out}")
        formatter = ctx.make_formatter()
        for name, (about, options) in topics.items() if topic == ALL else [(topic, topics[topic])]:
            with formatter.section(name.capitalize()):
                formatter.write_text(about)
                formatter.write_paragraph()
                formatter.write_dl([record for one in options if (record := one.get_help_record(ctx))])
        return formatter.getvalue().rstrip("\n")


def _brief(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """An option with the first clause of its help, and its default if any."""
    spelling, _ = option.get_help_record(ctx) or ("", "")
    default = option.get_help_extra(ctx).get("default")
    return spelling, _clause(option.help or "") + (f"  [default: {default}]" if default else "")


def _clause(text: str) -> str:
    return re.split(r"[.:;](?:\s|$)", " ".join(text.split()), maxsplit=1)[0] + "."
