"""Options of a crawl.

options       each setting once: its default, its bounds, its meaning; in groups
crawl         CrawlSettings: all settings by their flat names, checked, and as the store keeps them; profiles
values        kinds of settings: readers and checks of times, sizes, shares, texts
requests      what requests carry and where they go: headers, logins, certificates, routes, proxies
"""

from pathlib import Path

from minicrawl.settings.crawl import PROFILES, SETTINGS, AsBefore, CrawlSettings, in_full, lasting, profile_of
from minicrawl.settings.options import (
    BY_PAGES,
    BY_SITES,
    GROUPS,
    LINKED,
    SCOPES,
    STRATEGY_NAMES,
    USER_AGENT,
    USES,
)
from minicrawl.settings.requests import ConnectTo, Header, Login, ProxyRule, shown_proxy
from minicrawl.settings.values import (
    compiled,
    option,
    parse_boost,
    parse_duration,
    parse_host_delay,
    parse_size,
)

__all__ = [
    "BY_PAGES",
    "BY_SITES",
    "DEFAULT_STORE",
    "GROUPS",
    "LINKED",
    "PROFILES",
    "RANKINGS",
    "SCOPES",
    "SETTINGS",
    "STRATEGY_NAMES",
    "USER_AGENT",
    "USES",
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
    "parse_size",
    "profile_of",
    "shown_proxy",
]

RANKINGS = ("importance", "history", "cash", "inlinks")
"""Rankings that every store has at every commit."""

DEFAULT_STORE = Path("data/crawl.db")
