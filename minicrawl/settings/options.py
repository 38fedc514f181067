"""Each setting of a crawl once: its default, its kind with its bounds, its meaning, when it may change; in groups.

The command line, the help of `minicrawl.crawl`, files of options, `minicrawl control set` and the store take all that
from here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any  # Any: settings as given

from minicrawl import __version__
from minicrawl.errors import SettingError, quoted
from minicrawl.model import USES
from minicrawl.parts import parts
from minicrawl.reasons import meaning
from minicrawl.setting import (
    ALONE,
    AT_REFRESH,
    BOOSTS,
    BOUNDS,
    FAVOURS,
    FLAG,
    HOST_DELAYS,
    LIVE,
    MOST_SPAN,
    ON_DASHBOARD,
    ONE_MACHINE,
    ONE_RUN,
    PACES,
    PATTERNS,
    PAUSE,
    PLACES,
    REREADS,
    TEXT,
    Kind,
    Setting,
    choice,
    codes,
    duration,
    file,
    is_file,
    is_folder,
    option,
    setting,
    share,
    size,
    texts,
    whole,
)
from minicrawl.settings import requests
from minicrawl.web.http.header import Header
from minicrawl.web.net.routes import ConnectTo, ProxyRule

LINKED, ALL = "linked", "all"
SCOPES = ("any", "site", "host", "prefix", LINKED)
STRATEGY_NAMES = ("greedy", "random", "cycle", "breadth-first")
BY_SITES, BY_PAGES = "sites", "pages"
USER_AGENT = f"minicrawl/{__version__.rpartition('.')[0]}"
MOST_WORKERS = 256
"""Processes take tens of MB of memory each."""


def _read_reasons(name: str, given: Any) -> tuple[str, ...]:
    """Codes of `minicrawl.reasons`, or ALL."""
    reasons: tuple[str, ...] = codes()["read"](name, given)
    for reason in reasons:
        if reason == "passing":
            raise SettingError("every run retries temporary failures: leave out --retry passing")
        if reason != ALL and meaning(reason) is None:
            what = f"reasons that 'minicrawl status' shows, such as http-404, or {ALL}"
            raise SettingError(f"{option(name)} takes {what}, not {quoted(reason)}")
    return reasons


_REASONS: Kind = {"read": _read_reasons, "metavar": "REASON,..."}


@dataclass(frozen=True, init=False, repr=False, eq=False)  # which CrawlSettings has
class Options:
    """The settings, in groups: a name in capital letters begins one, whose value is the headline of its topic in
    `minicrawl crawl --help`."""

    LIMITS = "When a run stops. Without a limit, it stops when nothing is left to fetch."
    pages: int | None = setting(None, whole(10**12), "Stop after this many pages.", ONE_RUN, LIVE, ON_DASHBOARD)
    time: float | None = setting(
        None, duration(MOST_SPAN, "30m"), "Stop after this time.", ONE_RUN, LIVE, AT_REFRESH, ON_DASHBOARD
    )
    bytes: int | None = setting(
        None, size("1000000GB", "2GB"), "Stop after this many bytes of pages.", ONE_RUN, LIVE, ON_DASHBOARD
    )
    until_coverage: float | None = setting(
        None,
        share("90%"),
        "Stop at this coverage: the share of all known importance in the pages read.",
        ONE_RUN,
        LIVE,
        ON_DASHBOARD,
    )
    patience: float = setting(
        "20m",
        PAUSE,
        "Stop when only ill hosts are left and no host has answered well for this time. Their pages wait for the "
        "next run; 0 waits for no ill host.",
        ONE_RUN,
        LIVE,
        ON_DASHBOARD,
    )
    retry: tuple[str, ...] = setting(
        (),
        _REASONS,
        "Retry pages that failed for these reasons (see 'minicrawl status'), or for any reason (all). Every run "
        "retries after temporary failures such as time-outs. Repeatable.",
        ONE_RUN,
    )

    SCOPE = "Which links to follow."
    scope: str = setting(
        "any",
        choice(*SCOPES),
        "Follow these links: to any site, or only to the seeds' sites, hosts or folders (prefix); or all on the "
        "seeds' sites, but none on others (linked).",
        LIVE,
        BOUNDS,
        REREADS,
        ON_DASHBOARD,
    )
    allow: tuple[str, ...] = setting(
        (), PATTERNS, "Follow only URLs that match. Repeatable.", LIVE, BOUNDS, REREADS, ON_DASHBOARD
    )
    deny: tuple[str, ...] = setting(
        (), PATTERNS, "Never follow URLs that match, except seeds. Repeatable.", LIVE, BOUNDS, REREADS, ON_DASHBOARD
    )
    max_depth: int | None = setting(
        None, whole(10**6, 0), "Follow links at most N steps from a seed.", LIVE, BOUNDS, REREADS, ON_DASHBOARD
    )
    sitemaps: bool = setting(
        True,
        FLAG,
        "Read the sitemaps named in robots.txt. At most one new page in four comes from them.",
        LIVE,
        ON_DASHBOARD,
    )

    TRAPS = "Many URLs for the same page, and endless sites."
    traps: bool = setting(
        True, FLAG, "Leave out URLs when pages like them say nothing new, and sites with endless pages."
    )
    keep_parameters: bool = setting(
        False, FLAG, "Keep URLs apart that differ only in tracking or session parameters, such as utm_source.", REREADS
    )

    POLITENESS = "How often to send a host requests, and how many at a time."
    delay: float = setting(
        "1s",
        PAUSE,
        "Wait this long between requests to a host; longer if robots.txt says so. 0 turns politeness off, "
        "including Crawl-delay: only for your own servers.",
        LIVE,
        PACES,
        ON_DASHBOARD,
    )
    host_delay: tuple[tuple[str, float], ...] = setting(
        (),
        HOST_DELAYS,
        "Wait this long between requests to this host, instead of --delay, or longer if its robots.txt says so. A "
        "shorter time than --delay also overrides --ip-delay. If several match a host, the first counts. Repeatable.",
    )
    ip_delay: float | None = setting(
        None,
        PAUSE,
        "Wait this long between requests to an IP address, which hosts may share; 0 for no wait. Default: --delay.",
        LIVE,
        PACES,
    )
    per_host: int = setting(
        1,
        whole(1000),
        "Allow N requests in flight per host, and per IP address with a delay.",
        LIVE,
        PACES,
        ON_DASHBOARD,
    )
    concurrency: int = setting(
        64,
        whole(10_000),
        "Allow N requests in flight, plus some to hosts that have not answered yet.",
        LIVE,
        ON_DASHBOARD,
    )
    workers: int = setting(
        0, whole(MOST_WORKERS, 0), "Fetch and parse in N processes; 0 means in the main process.", LIVE, ON_DASHBOARD
    )
    ignore_robots: bool = setting(False, FLAG, "Ignore robots.txt and nofollow. Only for your own servers.", REREADS)
    respect_usage: tuple[str, ...] = setting(
        (),
        codes(USES),
        "Skip pages if robots.txt forbids this use of them. If a page itself forbids the use, keep no text and "
        "leave it out of exports. Repeatable.",
        REREADS,
    )

    ORDER = "Which page comes next, and how to measure importance."
    strategy: str = setting(
        "greedy",
        choice(*STRATEGY_NAMES),
        "Choose the next page this way. greedy: the most cash, or with --jump sites the most importance.",
        ON_DASHBOARD,
    )
    jump: str = setting(
        BY_SITES,
        choice(BY_SITES, BY_PAGES),
        "Let the random surfer jump to sites that other sites trust and pages that they link to, or to all pages "
        "equally, as in the papers. A later run may change it.",
    )
    discovery: float = setting(
        1.0,
        share("SHARE"),
        "Use this share of requests for new pages. The rest fetch pages again, as --refresh does; with 1, none do.",
        ON_DASHBOARD,
    )

    REFRESH = "When to fetch pages again."
    refresh: bool = setting(
        False,
        FLAG,
        "Run for ever, and fetch pages again by importance and how often they change. --discovery becomes 0.7, "
        "unless it is lower. With --pages or --time, use up the limit; otherwise wait until pages are due.",
    )
    refresh_min: float = setting("1h", duration("90d"), "Wait at least this long before fetching a page again.")
    recrawl_after: float | None = setting(
        None,
        duration(MOST_SPAN, "30d"),
        "Fetch every page again after this time, however unimportant. Without --refresh, a run does not wait for it.",
    )

    FOCUS = "Pages to read earlier or later. The ranking does not change."
    boost: tuple[tuple[re.Pattern[str], float], ...] = setting(
        (), BOOSTS, "Multiply the priority of pages with matching URLs. Repeatable.", LIVE, BOUNDS, FAVOURS
    )
    topic: str = setting(
        "",
        {**TEXT, "metavar": "WORDS"},
        "Read pages about these words first, by their URLs, the links to them, and the titles of the linking pages.",
        REREADS,
        ON_DASHBOARD,
    )

    KEEP = "What to keep of pages besides their links."
    text: bool = setting(
        False,
        FLAG,
        "Keep the text of every page, with headings and links, in the store (about 3 kB a page), except where the "
        "page says noarchive.",
        REREADS,
        ON_DASHBOARD,
    )
    audit: bool = setting(False, FLAG, "Keep descriptions, headings, images and languages for 'minicrawl audit'.")
    extract: tuple[str, ...] = setting(
        (),
        texts("NAME=SELECTOR"),
        "Extract a field from every page, for --items, by a CSS selector (::attr(NAME) for an attribute) or "
        "xpath:PATH. NAME[]= takes all matches. Repeatable.",
        REREADS,
    )
    extract_structured: bool = setting(
        False, FLAG, "Extract JSON-LD, microdata and OpenGraph from every page, for --items.", REREADS
    )
    items: str = setting(
        "",
        {**TEXT, "metavar": "FILE"},
        "Write extracted data to this file (.jsonl, .csv or .parquet). Give it at every run.",
        ONE_MACHINE,
        ONE_RUN,
        AT_REFRESH,
        REREADS,
    )
    hook: tuple[str, ...] = setting(
        (),
        texts("PLACE"),
        "Call your own functions: MODULE:FUNCTION, FILE.py or an entry point. Give it at every run. Repeatable.",
        ONE_RUN,
        REREADS,
    )
    search: bool = setting(
        False, FLAG, "Index pages for 'minicrawl search'. It needs and keeps texts.", ALONE, REREADS, ON_DASHBOARD
    )

    RENDERING = "Pages made by scripts, in Chromium."

    ARCHIVE = "Keep responses in WARC files, and crawl from such files."
    archive: Path | None = setting(
        None,
        file("DIR", is_folder),
        "Keep every response in this folder, in WARC files that other programs can replay.",
        ONE_MACHINE,
        REREADS,
    )
    from_archive: tuple[str, ...] = setting(
        (),
        PLACES,
        "Read from this archive instead of the network: a folder of --archive, or any program's WARC or WACZ "
        "files. Repeatable.",
        ALONE,
    )
    dedup: bool = setting(True, FLAG, "Archive each body of 1,000 bytes or more once; further records refer to it.")
    requisites: bool = setting(
        False,
        FLAG,
        "Fetch the style sheets, scripts, pictures, fonts and frames of pages, from any host. --archive keeps "
        "them; 'audit' lists missing ones.",
        REREADS,
    )

    IDENTITY = "User agent, contact and request headers."
    contact: str = setting(
        "",
        requests.CONTACT,
        "Give sites a contact: a mail address or a page's URL. It goes into the user agent, a mail address also "
        "into the header From.",
        ON_DASHBOARD,
    )
    user_agent: str = setting(USER_AGENT, requests.NAME, "Name the crawler. robots.txt rules are for its first word.")
    header: tuple[Header, ...] = setting(
        (),
        requests.HEADERS,
        "Send this header to HOST (a name, name:port or https://name), to all hosts (*), or by default to the "
        "seeds' origins. It never follows a redirect or link to another origin. The store does not keep it. "
        "Repeatable.",
        AT_REFRESH,
    )

    LOGINS = "Passwords, certificates and cookies for hosts."
    auth: tuple[Header, ...] = setting(
        (),
        requests.LOGINS,
        "Log in by basic authentication at https://HOST and at seeds of that name, or by default at the seeds' "
        "origins. Write out http://HOST and other ports. @FILE reads one per line. The password never goes to "
        "another origin, and the store does not keep it. Repeatable.",
        AT_REFRESH,
    )

    HTTP = "Proxies, routes, and limits of one request."
    proxy: tuple[ProxyRule, ...] = setting(
        (),
        requests.PROXIES,
        "Send all requests, or those to hosts that match PATTERN, such as '*.onion', through this proxy: http, "
        "https, socks5, or socks5h, which looks up names itself. 'none' means no proxy. Default: the environment's "
        "proxies. Repeatable.",
    )
    connect_to: tuple[ConnectTo, ...] = setting(
        (),
        requests.ROUTES,
        "Connect to ADDR:PORT instead, like curl. An empty HOST or PORT matches any; @FILE reads one per line. "
        "Repeatable.",
        AT_REFRESH,
    )
    ca_file: Path | None = setting(None, file("PEM", is_file), "Trust this certificate authority too.")
    client_cert: Path | None = setting(
        None, file("PEM", is_file), "Present this certificate (with its key) to seeds' hosts that ask for one."
    )
    allow_private: bool = setting(False, FLAG, "Allow requests to loopback and private addresses.", ON_DASHBOARD)
    timeout: float = setting("60s", duration("1d"), "Allow this much time for a whole request.")
    max_size: int = setting(
        "16MB", size("1GB", "SIZE"), "Read at most this much of a page, before and after decompression.", REREADS
    )


def _topics() -> dict[str, tuple[str, dict[str, Setting]]]:
    ours = _settings(Options)
    found: dict[str, tuple[str, dict[str, Setting]]] = {}
    for name, value in vars(Options).items():
        if name.isupper():
            found[name.lower()] = value, {}
        elif name in ours:
            next(reversed(found.values()))[1][name] = ours[name]
    for part in parts():
        if part.SETTINGS is not None:
            found[part.TOPIC][1].update(_settings(part.SETTINGS))
    return {name: topic for name, topic in found.items() if topic[1]}


def _settings(kind: type) -> dict[str, Setting]:
    return {one.name: Setting(one.name, one.default, **one.metadata) for one in fields(kind)}


TOPICS: Mapping[str, tuple[str, Mapping[str, Setting]]] = _topics()
"""The groups by name, each with its headline and its settings, those of parts last."""
SETTINGS = {name: one for _, settings in TOPICS.values() for name, one in settings.items()}
"""All settings by name."""


def marked(mark: str) -> frozenset[str]:
    """The names of the settings that bear a mark."""
    return frozenset(name for name, one in SETTINGS.items() if mark in one.marks)
