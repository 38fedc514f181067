"""Each setting of a crawl once: its default, its kind with its bounds, its meaning, when it may change; in groups.

The command line, the help of `minicrawl.crawl`, files of options, `minicrawl control set` and the store take all that
from here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from minicrawl import __version__
from minicrawl.model import Watch
from minicrawl.parts import parts
from minicrawl.settings import requests
from minicrawl.settings.requests import ConnectTo, Header, ProxyRule
from minicrawl.settings.values import (
    AT_REFRESH,
    BOOSTS,
    FLAG,
    HOST_DELAYS,
    LIVE,
    MOST_SPAN,
    ONE_RUN,
    PATTERNS,
    PAUSE,
    PLACES,
    TEXT,
    WATCHES,
    Setting,
    can_be_file,
    choice,
    codes,
    duration,
    file,
    is_file,
    is_folder,
    setting,
    share,
    size,
    texts,
    whole,
)

LINKED = "linked"
SCOPES = ("any", "site", "host", "prefix", LINKED)
STRATEGY_NAMES = ("greedy", "random", "cycle", "breadth-first")
BY_SITES, BY_PAGES = "sites", "pages"
USES = ("search", "ai-input", "ai-train")
USER_AGENT = f"minicrawl/{__version__.rpartition('.')[0]}"
MOST_WORKERS = 256
"""Processes take tens of MB of memory each."""


@dataclass(frozen=True, init=False, repr=False, eq=False)  # which CrawlSettings has
class Options:
    """The settings, in groups: a name in capital letters begins one, whose value is the headline of its topic in
    `minicrawl crawl --help`."""

    LIMITS = "When a run stops. Without a limit it stops when nothing is left to fetch."
    pages: int | None = setting(None, whole(10**12), "Stop after that many pages.", ONE_RUN, LIVE)
    time: float | None = setting(None, duration(MOST_SPAN, "30m"), "Stop after that time.", ONE_RUN, LIVE, AT_REFRESH)
    bytes: int | None = setting(None, size("1000000GB", "2GB"), "Stop after that many bytes of pages.", ONE_RUN, LIVE)
    until_coverage: float | None = setting(
        None,
        share("90%"),
        "Stop at this coverage: once the pages read certainly hold that share of the importance of all known pages.",
        ONE_RUN,
        LIVE,
    )
    retry: tuple[str, ...] = setting(
        (),
        codes(metavar="[REASON,...]", bare="passing"),
        "Ask again for pages that were given up for these reasons (see 'minicrawl status'); all: for any; without "
        "REASON: for those that may have passed, such as time-outs. Repeatable.",
        ONE_RUN,
    )

    SCOPE = "Which links are followed."
    scope: str = setting(
        "any",
        choice(*SCOPES),
        "Which links are followed: any, those to the seeds' sites (site), hosts (host) or folders (prefix), or all "
        "links of the seeds' sites, but none of other sites' pages (linked).",
        LIVE,
    )
    allow: tuple[str, ...] = setting((), PATTERNS, "Follow only URLs that match. Repeatable.", LIVE)
    deny: tuple[str, ...] = setting(
        (), PATTERNS, "Never follow URLs that match; seeds are crawled all the same. Repeatable.", LIVE
    )
    max_depth: int | None = setting(None, whole(10**6, 0), "Follow links at most that far from a seed.", LIVE)
    sitemaps: bool = setting(
        True, FLAG, "Read the sitemaps that robots.txt names; of four new pages one at most comes from there.", LIVE
    )

    TRAPS = "URLs that lead to the same page again and again."
    traps: bool = setting(
        True, FLAG, "Stay out of traps: calendars without end, session ids, endless paths and the like."
    )
    keep_parameters: bool = setting(
        False, FLAG, "Tell URLs apart that differ in parameters for tracking or sessions only, such as utm_source."
    )

    POLITENESS = "How often hosts are asked, and how much at a time."
    delay: float = setting(
        "1s",
        PAUSE,
        "Between requests to a host; robots.txt may ask for more. 0 switches politeness off, Crawl-delay too: only "
        "for servers of your own.",
        LIVE,
    )
    host_delay: tuple[tuple[str, float], ...] = setting(
        (),
        HOST_DELAYS,
        "Between two requests to this host, instead of --delay; its robots.txt may ask for more. A shorter one than "
        "--delay holds whatever IP address the host shares. The first one of a host counts. Repeatable.",
    )
    ip_delay: float | None = setting(
        None,
        PAUSE,
        "Between two requests to one IP address, which hosts may share; 0: none. The default is that of --delay.",
        LIVE,
    )
    per_host: int = setting(1, whole(1000), "Requests in flight per host, and per IP address with a delay.", LIVE)
    concurrency: int = setting(
        64, whole(10_000), "Requests in flight in all, but for those to hosts that have not answered yet.", LIVE
    )
    workers: int = setting(
        0, whole(MOST_WORKERS, 0), "Processes that fetch and parse; 0 = inside the main process.", LIVE
    )
    ignore_robots: bool = setting(False, FLAG, "Do not ask for robots.txt. Only for servers of your own.")
    respect_usage: tuple[str, ...] = setting(
        (),
        codes(USES),
        "Fetch nothing that robots.txt does not want used for this, such as ai-train. Of pages that say so themselves "
        "the text is not kept, and export leaves them out. Repeatable.",
    )

    ORDER = "Which page is next, and how importance is measured."
    strategy: str = setting(
        "greedy",
        choice(*STRATEGY_NAMES),
        "Which page is next: greedy is the one with the most cash, or importance with --jump sites.",
    )
    jump: str = setting(
        BY_SITES,
        choice(BY_SITES, BY_PAGES),
        "Where a walker goes who follows no link: to sites, by how much other sites trust them, and there to pages "
        "that other sites link to; or to all pages alike, as in the papers. A later run may change it.",
    )
    discovery: float = setting(
        1.0,
        share("SHARE"),
        "Share of the requests for pages never read; with 1 no page is fetched twice. Below 1, the others re-read "
        "pages as --refresh does.",
    )

    REFRESH = "When pages that were read are fetched again."
    refresh: bool = setting(
        False,
        FLAG,
        "Go on for ever: fetch pages again by importance and by how often they change. --discovery is 0.7 then, unless "
        "it is less. With --pages or --time all of that is used; else the crawl waits until pages are due.",
    )
    refresh_min: float = setting("1h", duration("90d"), "Fetch no page again sooner than that.")
    recrawl_after: float | None = setting(
        None,
        duration(MOST_SPAN, "30d"),
        "Fetch every page again after that time, important or not, instead. Without --refresh a run does not wait.",
    )
    watch: tuple[Watch, ...] = setting(
        (),
        WATCHES,
        "On pages with matching URLs, count only changes of what is watched: css:SELECTOR, with ::attr(NAME) for an "
        "attribute, or kinds of changes such as price,title. Repeatable.",
    )

    FOCUS = "Pages that come earlier, or later. The ranking stays what the links say."
    boost: tuple[tuple[re.Pattern[str], float], ...] = setting(
        (),
        BOOSTS,
        "Multiply the priority of pages with matching URLs. Repeatable.",
        LIVE,
    )
    topic: str = setting(
        "",
        {**TEXT, "metavar": "WORDS"},
        "Pages on these words first: in their URL, in links to them, in titles around those.",
    )

    KEEP = "What is kept of pages beside their links."
    text: bool = setting(
        False,
        FLAG,
        "Keep the text of every page, with its headings and links, in a file beside the store: about 3 kB a page. "
        "Pages that say noarchive are left out.",
    )
    pdf: bool = setting(False, FLAG, "Read PDF files as pages: their links, title and text. Needs the extra pdf.")
    audit: bool = setting(
        False,
        FLAG,
        "Keep what an audit checks of pages beside links and titles: descriptions, headings, images, languages.",
    )
    extract: tuple[str, ...] = setting(
        (),
        texts("NAME=SELECTOR"),
        "Take this out of every page, for --items: by a CSS selector, with ::attr(NAME) an attribute, or by "
        "xpath:PATH; NAME[]= takes all that is found. Repeatable.",
    )
    extract_structured: bool = setting(
        False, FLAG, "Take structured data out of pages, for --items: JSON-LD, microdata and OpenGraph."
    )
    items: str = setting(
        "",
        {**TEXT, "metavar": "FILE"},
        "Write what is taken out of pages to this file, .jsonl, .csv or .parquet, with the crawl's commits. To be "
        "named at every run.",
        ONE_RUN,
        AT_REFRESH,
    )
    hook: tuple[str, ...] = setting(
        (),
        texts("PLACE"),
        "Call functions of your own: MODULE:FUNCTION, FILE.py or an entry point. To be named at every run. Repeatable.",
        ONE_RUN,
    )
    search: bool = setting(
        False, FLAG, "Index pages for 'minicrawl search': while the crawl runs; keeps texts, as --text does."
    )

    RENDERING = "Pages that scripts make, in a Chromium."
    render: tuple[str, ...] = setting(
        (),
        PATTERNS,
        "Run the scripts of pages whose URL matches in a Chromium, and read what they make. Repeatable.",
    )
    chromium: Path | None = setting(
        None,
        file("FILE"),
        "The Chromium for --render, instead of the first chromium, chromium-browser or google-chrome on the PATH.",
    )
    screenshots: bool = setting(
        False,
        FLAG,
        "Keep screenshots of rendered pages in the archive, with the style sheets, pictures and fonts that they show. "
        "Needs --render and --archive.",
    )

    ARCHIVE = "Keeping answers in WARC files, and reading them again."
    archive: Path | None = setting(
        None,
        file("DIR", is_folder),
        "Keep all that is read in this folder, in WARC files that other programs can replay.",
    )
    from_archive: tuple[str, ...] = setting(
        (),
        PLACES,
        "Ask nobody for anything: read what this archive has, a folder of --archive, WARC or WACZ files of any "
        "program, or - for standard input. Repeatable.",
    )
    dedup: bool = setting(
        True,
        FLAG,
        "Let the archive refer to a body that it has already, of 1,000 bytes or more, instead of keeping it again.",
    )
    requisites: bool = setting(
        False,
        FLAG,
        "Ask for what pages need to look as they do: style sheets, scripts, pictures, fonts, frames, from any host. "
        "--archive keeps them, 'audit' tells which are not there.",
    )

    IDENTITY = "User agent, contact and request headers."
    contact: str = setting(
        "",
        requests.CONTACT,
        "Whom to ask about the crawl: an address for mail, or the URL of a page. It stands in the user agent; an "
        "address in the header From, too.",
    )
    user_agent: str = setting(
        USER_AGENT,
        requests.NAME,
        "Who we say we are; its first word is looked up in robots.txt.",
    )
    header: tuple[Header, ...] = setting(
        (),
        requests.HEADERS,
        "Send this header too: to HOST alone (a name, name:port or https://name), to all hosts (*), or else to those "
        "of the seeds, and never along a redirect or link to others. Not kept in the store. Repeatable.",
        AT_REFRESH,
    )
    sign: Path | None = setting(
        None,
        file("KEYFILE"),
        "Sign requests with this key, by Web Bot Auth. 'minicrawl key new FILE' makes one. Needs --signature-agent.",
    )
    signature_agent: str = setting(
        "",
        requests.SIGNATURE_AGENT,
        "Where the key of --sign is published, as 'minicrawl key directory' prints it: an https origin, or the URL of "
        "the directory itself, for verifiers that want that.",
    )

    LOGINS = "Passwords, certificates and cookies for hosts."
    auth: tuple[Header, ...] = setting(
        (),
        requests.LOGINS,
        "Log in at HOST by name and password (basic authentication): at https://HOST, and at seeds of that name; "
        "http://HOST and other ports are to be written out. Without HOST, at the origins of the seeds. @FILE reads one "
        "a line. Never sent to another origin; not kept in the store. Repeatable.",
        AT_REFRESH,
    )
    cookies: bool = setting(
        False,
        FLAG,
        "Take cookies, and send them to the hosts that they are for. They are kept in the store, in the clear: nobody "
        "but you may read it then.",
    )
    cookie_file: Path | None = setting(
        None,
        file("FILE", can_be_file),
        "Take cookies, beginning with those in this file in the format of Netscape; it is written at every run's end.",
    )

    HTTP = "Proxies, routes, and limits of one request."
    proxy: tuple[ProxyRule, ...] = setting(
        (),
        requests.PROXIES,
        "Send requests through this proxy (http, https, socks5, or socks5h, which looks up names itself): all, or "
        "those for hosts that match PATTERN, such as '*.onion'; 'none' for no proxy. By default the proxies of the "
        "environment. Repeatable.",
    )
    connect_to: tuple[ConnectTo, ...] = setting(
        (),
        requests.ROUTES,
        "Connect elsewhere, as curl does; an empty HOST or PORT matches any; @FILE reads one a line. Repeatable.",
        AT_REFRESH,
    )
    ca_file: Path | None = setting(None, file("PEM", is_file), "Trust this certificate authority too.")
    allow_private: bool = setting(False, FLAG, "Let the crawl reach loopback and private addresses.")
    timeout: float = setting("60s", duration("1d"), "What one request may take in all.")
    max_size: int = setting("16MB", size("1GB", "SIZE"), "Bytes read of one page, before and after unpacking.")


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
