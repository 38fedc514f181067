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
            raise SettingError("every run tries again what failed for a passing reason: leave out --retry passing")
        if reason != ALL and meaning(reason) is None:
            what = f"reasons that 'minicrawl status' shows, such as http-404, or {ALL}"
            raise SettingError(f"{option(name)} takes {what}, not {quoted(reason)}")
    return reasons


def _read_render(name: str, given: Any) -> tuple[str, ...]:
    """Regular expressions and auto; or none, which stands alone."""
    found: tuple[str, ...] = PATTERNS["read"](name, given)
    if "none" in found and len(found) > 1:
        raise SettingError(f"{option(name)} none renders nothing: leave out {option(name)} {found[found[0] == 'none']}")
    return () if "none" in found else found


_RENDER: Kind = {**PATTERNS, "read": _read_render}
_REASONS: Kind = {"read": _read_reasons, "metavar": "REASON,..."}


@dataclass(frozen=True, init=False, repr=False, eq=False)  # which CrawlSettings has
class Options:
    """The settings, in groups: a name in capital letters begins one, whose value is the headline of its topic in
    `minicrawl crawl --help`."""

    LIMITS = "When a run stops. Without a limit, it stops when nothing is left to fetch."
    pages: int | None = setting(None, whole(10**12), "Stop after that many pages.", ONE_RUN, LIVE, ON_DASHBOARD)
    time: float | None = setting(
        None, duration(MOST_SPAN, "30m"), "Stop after that time.", ONE_RUN, LIVE, AT_REFRESH, ON_DASHBOARD
    )
    bytes: int | None = setting(
        None, size("1000000GB", "2GB"), "Stop after that many bytes of pages.", ONE_RUN, LIVE, ON_DASHBOARD
    )
    until_coverage: float | None = setting(
        None,
        share("90%"),
        "Stop at this coverage: when the pages read hold at least that share of all known importance.",
        ONE_RUN,
        LIVE,
        ON_DASHBOARD,
    )
    patience: float = setting(
        "20m",
        PAUSE,
        "Stop once only ill hosts are left and no host has answered well for that time. Their pages wait for the next "
        "run; 0 waits for no ill host.",
        ONE_RUN,
        LIVE,
        ON_DASHBOARD,
    )
    retry: tuple[str, ...] = setting(
        (),
        _REASONS,
        "Try pages again that failed for these reasons (see 'minicrawl status'), or for any reason (all). Every run "
        "does so for temporary ones, such as time-outs. Repeatable.",
        ONE_RUN,
    )

    SCOPE = "Which links to follow."
    scope: str = setting(
        "any",
        choice(*SCOPES),
        "Which links to follow: any, those to the seeds' sites (site), hosts (host) or folders (prefix), or all "
        "links on the seeds' sites but none on others (linked).",
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

    TRAPS = "URLs that lead to the same page again and again."
    traps: bool = setting(
        True, FLAG, "Leave out URLs where pages like them say nothing new, and sites that make up pages without end."
    )
    keep_parameters: bool = setting(
        False, FLAG, "Keep URLs apart that differ only in tracking or session parameters, such as utm_source.", REREADS
    )

    POLITENESS = "How often to ask a host, and how many requests at a time."
    delay: float = setting(
        "1s",
        PAUSE,
        "Time between host requests; robots.txt may ask for more. 0 turns politeness off, "
        "including Crawl-delay: only for your own servers.",
        LIVE,
        PACES,
        ON_DASHBOARD,
    )
    host_delay: tuple[tuple[str, float], ...] = setting(
        (),
        HOST_DELAYS,
        "Wait this long between requests to this host, instead of --delay; its robots.txt may ask for more. A "
        "shorter time than --delay also overrides --ip-delay. The first one for a host counts. Repeatable.",
    )
    ip_delay: float | None = setting(
        None,
        PAUSE,
        "Wait this long between requests to one IP address, which hosts may share; 0 for no wait. Default: --delay.",
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
        0, whole(MOST_WORKERS, 0), "Fetch and parse in N processes; 0: in the main process.", LIVE, ON_DASHBOARD
    )
    ignore_robots: bool = setting(False, FLAG, "Do not ask for robots.txt. Only for your own servers.")
    respect_usage: tuple[str, ...] = setting(
        (),
        codes(USES),
        "Fetch no page if robots.txt forbids this use of it. If the page itself forbids the use, keep no text "
        "and leave it out of exports. Repeatable.",
        REREADS,
    )

    ORDER = "Which page is next, and how to measure importance."
    strategy: str = setting(
        "greedy",
        choice(*STRATEGY_NAMES),
        "Choose the next page. greedy: the most cash, or the most importance with --jump sites.",
        ON_DASHBOARD,
    )
    jump: str = setting(
        BY_SITES,
        choice(BY_SITES, BY_PAGES),
        "Where the random surfer jumps: to sites by the trust of other sites, and there to pages that other "
        "sites link to; or to all pages equally, as in the papers. A later run may change it.",
    )
    discovery: float = setting(
        1.0,
        share("SHARE"),
        "Share of requests for new pages. With 1, no page is fetched twice. The rest re-read pages, as --refresh does.",
        ON_DASHBOARD,
    )

    REFRESH = "When to fetch pages again."
    refresh: bool = setting(
        False,
        FLAG,
        "Run for ever: fetch pages again by importance and how often they change. --discovery becomes 0.7, "
        "unless it is lower. With --pages or --time, use all of that; otherwise wait until pages are due.",
    )
    refresh_min: float = setting("1h", duration("90d"), "Fetch no page again sooner than this.")
    recrawl_after: float | None = setting(
        None,
        duration(MOST_SPAN, "30d"),
        "Fetch every page again after this time, important or not. Without --refresh, a run does not wait.",
    )

    FOCUS = "Pages to read earlier or later. The ranking does not change."
    boost: tuple[tuple[re.Pattern[str], float], ...] = setting(
        (), BOOSTS, "Multiply the priority of pages with matching URLs. Repeatable.", LIVE, BOUNDS, FAVOURS
    )
    topic: str = setting(
        "",
        {**TEXT, "metavar": "WORDS"},
        "Read pages on these words first: in their URLs, in links to them, in titles around those links.",
        REREADS,
        ON_DASHBOARD,
    )

    KEEP = "What to keep of pages besides their links."
    text: bool = setting(
        False,
        FLAG,
        "Keep the text of every page, with headings and links, in the store: about 3 kB a page. "
        "Leaves out pages that say noarchive.",
        REREADS,
        ON_DASHBOARD,
    )
    audit: bool = setting(
        False, FLAG, "Keep what an audit needs besides links and titles: descriptions, headings, images, languages."
    )
    extract: tuple[str, ...] = setting(
        (),
        texts("NAME=SELECTOR"),
        "Extract this from every page, for --items: a CSS selector, with ::attr(NAME) for an attribute, or "
        "xpath:PATH. NAME[]= takes all matches. Repeatable.",
        REREADS,
    )
    extract_structured: bool = setting(
        False, FLAG, "Extract structured data from pages, for --items: JSON-LD, microdata and OpenGraph.", REREADS
    )
    items: str = setting(
        "",
        {**TEXT, "metavar": "FILE"},
        "Write extracted data to this file (.jsonl, .csv or .parquet) with the crawl's commits. Give it at every run.",
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
        False, FLAG, "Index pages for 'minicrawl search'. Keeps texts, as --text does.", ALONE, REREADS, ON_DASHBOARD
    )

    RENDERING = "Pages made by scripts, in Chromium."
    render: tuple[str, ...] = setting(
        (),
        _RENDER,
        "Open pages with matching URLs in Chromium, and read what their scripts show; auto: those that need it, as an "
        "experiment says; none. Repeatable.",
        REREADS,
    )
    chromium: Path | None = setting(
        None,
        file("FILE"),
        "Use this Chromium for --render. Default: the first chromium-headless-shell, chromium, chromium-browser or "
        "google-chrome on the PATH.",
    )
    screenshots: bool = setting(
        False,
        FLAG,
        "Keep screenshots of rendered pages in the archive, with their style sheets, pictures and fonts. Needs "
        "--render and --archive.",
        REREADS,
    )

    ARCHIVE = "Keep answers in WARC files, and read them again."
    archive: Path | None = setting(
        None,
        file("DIR", is_folder),
        "Keep every answer in this folder, in WARC files that other programs can replay.",
        ONE_MACHINE,
        REREADS,
    )
    from_archive: tuple[str, ...] = setting(
        (),
        PLACES,
        "Read this archive instead of the network: a folder of --archive, WARC or WACZ files of any program. "
        "Repeatable.",
        ALONE,
    )
    dedup: bool = setting(True, FLAG, "Keep a body of 1,000 bytes or more once; the archive then refers to it.")
    requisites: bool = setting(
        False,
        FLAG,
        "Fetch what pages need to display: style sheets, scripts, pictures, fonts, frames, from any host. "
        "--archive keeps them; 'audit' lists missing ones.",
    )

    IDENTITY = "User agent, contact and request headers."
    contact: str = setting(
        "",
        requests.CONTACT,
        "Give sites a contact: a mail address or the URL of a page. It goes into the user agent; a mail address "
        "also into the header From.",
        ON_DASHBOARD,
    )
    user_agent: str = setting(USER_AGENT, requests.NAME, "Name the crawler. robots.txt calls it by the first word.")
    header: tuple[Header, ...] = setting(
        (),
        requests.HEADERS,
        "Send this header, too: only to HOST (a name, name:port or https://name), to all hosts (*), or by "
        "default to the seeds' origins. It never follows a redirect or link elsewhere. Not kept in the store. "
        "Repeatable.",
        AT_REFRESH,
    )

    LOGINS = "Passwords, certificates and cookies for hosts."
    auth: tuple[Header, ...] = setting(
        (),
        requests.LOGINS,
        "Log in with name and password (basic authentication) at https://HOST and at seeds of that name. Write "
        "out http://HOST and other ports. Without HOST: at the seeds' origins. @FILE reads one per line. Never "
        "sent to another origin; not kept in the store. Repeatable.",
        AT_REFRESH,
    )

    HTTP = "Proxies, routes, and limits of one request."
    proxy: tuple[ProxyRule, ...] = setting(
        (),
        requests.PROXIES,
        "Send requests through this proxy (http, https, socks5, or socks5h, which looks up names itself): all, "
        "or those to hosts that match PATTERN, such as '*.onion'. 'none': no proxy. Default: the environment's "
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
        None, file("PEM", is_file), "Show this certificate (with its key) to seeds' hosts that ask for one."
    )
    allow_private: bool = setting(False, FLAG, "Let the crawl reach loopback and private addresses.", ON_DASHBOARD)
    timeout: float = setting("60s", duration("1d"), "Allow a request this much time in all.")
    max_size: int = setting(
        "16MB", size("1GB", "SIZE"), "Read at most this much of a page, before and after unpacking.", REREADS
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
    return found


def _settings(kind: type) -> dict[str, Setting]:
    return {one.name: Setting(one.name, one.default, **one.metadata) for one in fields(kind)}


TOPICS: Mapping[str, tuple[str, Mapping[str, Setting]]] = _topics()
"""The groups by name, each with its headline and its settings, those of parts last."""
SETTINGS = {name: one for _, settings in TOPICS.values() for name, one in settings.items()}
"""All settings by name."""


def marked(mark: str) -> frozenset[str]:
    """The names of the settings that bear a mark."""
    return frozenset(name for name, one in SETTINGS.items() if mark in one.marks)
