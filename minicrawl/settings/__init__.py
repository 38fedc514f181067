"""Options of a crawl.

options       each setting once: its default, its bounds, its meaning; in groups
crawl         CrawlSettings: all settings by their flat names, checked, and as the store keeps them; profiles
keywords      types of the keywords of minicrawl.crawl, written by packaging/settings.py
requests      what users say of what requests carry and where they go: headers, logins, routes, proxies
"""

from pathlib import Path

from minicrawl.setting import option
from minicrawl.settings.crawl import PROFILES, CrawlSettings
from minicrawl.settings.options import BY_SITES, SETTINGS, USER_AGENT
from minicrawl.web.http.header import Header
from minicrawl.web.net.routes import ConnectTo

__all__ = [
    "BY_SITES",
    "DEFAULT_STORE",
    "PROFILES",
    "RANKINGS",
    "SETTINGS",
    "USER_AGENT",
    "ConnectTo",
    "CrawlSettings",
    "Header",
    "option",
]

RANKINGS = ("importance", "history", "cash", "inlinks")
"""Rankings that every store has at every commit."""

DEFAULT_STORE = Path("data/crawl.db")
