"""What a user can set.

crawl     CrawlSettings: all settings of a crawl by their flat names, read, checked, and as the store keeps them
groups    each setting once: its default, what it may be, its meaning; in groups
refresh   the group of settings that say when pages are fetched again
keeping   the groups of what is kept: texts, items, the archive
rendering the group of pages that are rendered
logins   the group of settings by which a crawl logs in
requests  what requests carry and where they go: headers, contact, routes, proxy
given     the types in which Python programs give settings
setting   what is known of one setting beside its value
values    readers and checks of times, sizes, shares, texts
config_files  the files of options: which there are, what they hold
file_tables   what their tables say of single hosts, and of items, as settings
"""

from pathlib import Path

from minicrawl.settings.crawl import PROFILES, SETTINGS, AsBefore, CrawlSettings, in_full, lasting, with_profile
from minicrawl.settings.groups import (
    BY_CREDIT,
    BY_EDGES,
    BY_PAGES,
    BY_SITES,
    GROUPS,
    SCOPES,
    STRATEGY_NAMES,
    USER_AGENT,
)
from minicrawl.settings.logins import Login
from minicrawl.settings.requests import ConnectTo, Header, ProxyRule, shown_proxy
from minicrawl.settings.values import (
    compiled,
    option,
    parse_boost,
    parse_duration,
    parse_host_delay,
    parse_host_limit,
    parse_refresh_rule,
    parse_size,
)

__all__ = [
    "BY_CREDIT",
    "BY_EDGES",
    "BY_PAGES",
    "BY_SITES",
    "DEFAULT_STORE",
    "EXPECTED",
    "GROUPS",
    "PROFILES",
    "RANKINGS",
    "SCOPES",
    "SETTINGS",
    "STRATEGY_NAMES",
    "USER_AGENT",
    "AsBefore",
    "ConnectTo",
    "CrawlSettings",
    "Header",
    "Login",
    "ProxyRule",
    "compiled",
    "in_full",
    "lasting",
    "option",
    "parse_boost",
    "parse_duration",
    "parse_host_delay",
    "parse_host_limit",
    "parse_refresh_rule",
    "parse_size",
    "shown_proxy",
    "with_profile",
]

RANKINGS = ("importance", "history", "cash", "inlinks")
"""The rankings that every store has at every commit."""
EXPECTED = "expected"
"""The ranking by expected importance, which a store has as of when it was last worked out."""
DEFAULT_STORE = Path("data/crawl.db")
