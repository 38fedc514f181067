"""The group of settings that say when pages are fetched again."""

from dataclasses import dataclass

from minicrawl.settings import values
from minicrawl.settings.setting import setting


@dataclass(frozen=True)
class Refresh:
    """When pages that were read are fetched again."""

    refresh: bool = setting(
        False,
        values.flag,
        "Go on for ever: fetch pages again by importance and by how often they change. --discovery is 0.7 then, unless "
        "it is less. With --pages or --time all of that is used; else the crawl waits until pages are due.",
    )
    refresh_min: float = setting(
        3600.0,
        values.duration,
        "Fetch no page again sooner than that.",
        check=values.more_than(0),
        most=values.MOST_SPAN,
        shown="1h",
        metavar="TIME",
    )
    refresh_max: float = setting(
        90 * 86_400.0,
        values.duration,
        "Fetch every page again after that time.",
        check=values.more_than(0),
        most=values.MOST_SPAN,
        shown="90d",
        metavar="TIME",
    )
    recrawl_after: float | None = setting(
        None,
        values.duration,
        "Fetch every page again after that time, important or not, instead. Without --refresh a run does not wait.",
        check=values.more_than(0),
        most=values.MOST_SPAN,
        metavar="30d",
    )
    refresh_rule: tuple[str, ...] = setting(
        (),
        values.texts,
        "Fetch pages whose URL matches again after that time, whatever their importance, or never. The first rule that "
        "matches counts. Repeatable.",
        check=values.refresh_rules,
        metavar="REGEX=TIME",
    )
