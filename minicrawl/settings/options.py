"""Each setting of a crawl once: its default, its bounds and its meaning, in groups.

The command line, the help of `minicrawl.crawl` and the store take names, defaults and meanings from here. The docstring
of a group is the headline of its topic in `minicrawl crawl --help`. Only CrawlSettings, which has all groups as base
classes, is ever made, so no group has methods of its own.
"""

from dataclasses import dataclass
from pathlib import Path

from minicrawl import __version__
from minicrawl.settings import requests, values
from minicrawl.settings.requests import ConnectTo
from minicrawl.settings.setting import setting

LINKED = "linked"
SCOPES = ("any", "site", "host", "prefix", LINKED)
_STRATEGY = "Which page is next: greedy is the one with the most cash, or importance with --jump sites."
STRATEGY_NAMES = ("greedy", "random", "cycle", "breadth-first")
SURFER_NAMES = ("reasonable", "uniform")
BY_SITES, BY_PAGES = "sites", "pages"
JUMPS = (BY_SITES, BY_PAGES)
USES = ("search", "ai-input", "ai-train")
USER_AGENT = f"minicrawl/{__version__.rpartition('.')[0]}"


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Limits:
    """When a run stops. Without a limit it stops when nothing is left to fetch."""

    pages: int | None = setting(
        None,
        values.whole,
        "Stop after that many pages.",
        check=values.at_least(1),
        most=10**12,
        metavar="N",
        is_for_one_run=True,
        is_adjustable=True,
    )
    time: float | None = setting(
        None,
        values.duration,
        "Stop after that time.",
        check=values.more_than(0),
        most=values.MOST_SPAN,
        metavar="30m",
        is_for_one_run=True,
        is_adjustable=True,
    )
    bytes: int | None = setting(
        None,
        values.size,
        "Stop after that many bytes of pages.",
        check=values.at_least(1),
        most=10**15,
        metavar="2GB",
        is_for_one_run=True,
        is_adjustable=True,
    )
    until_coverage: float | None = setting(
        None,
        values.share,
        "Stop at this coverage: once the pages read certainly hold that share of the importance of all known pages.",
        check=values.from_0_to_1,
        metavar="90%",
        is_for_one_run=True,
        is_adjustable=True,
    )
    host_pages: tuple[str, ...] = setting(
        (),
        values.texts,
        "Ask for so many pages of this host at most, in all runs. The first one of a host counts. Repeatable.",
        check=values.host_limits,
        metavar="HOST=N",
    )
    retry: tuple[str, ...] = setting(
        (),
        values.codes,
        "Ask again for pages that were given up for these reasons (see 'minicrawl status'); all: for any; without "
        "REASON: for those that may have passed, such as time-outs. Where no connection came about, every run asks "
        "again. Repeatable.",
        metavar="[REASON,...]",
        bare="passing",
        is_for_one_run=True,
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Scope:
    """Which links are followed."""

    scope: str = setting(
        "any",
        values.text,
        "Which links are followed: any, those to the seeds' sites (site), hosts (host) or folders (prefix), or all "
        "links of the seeds' sites, but none of other sites' pages (linked).",
        check=values.one_of(SCOPES),
        choices=SCOPES,
        metavar="KIND",
        is_adjustable=True,
    )
    allow: tuple[str, ...] = setting(
        (),
        values.texts,
        "Follow only URLs that match. Repeatable.",
        check=values.patterns,
        metavar="REGEX",
        is_adjustable=True,
    )
    deny: tuple[str, ...] = setting(
        (),
        values.texts,
        "Never follow URLs that match; seeds are crawled all the same. Repeatable.",
        check=values.patterns,
        metavar="REGEX",
        is_adjustable=True,
    )
    max_depth: int | None = setting(
        None,
        values.whole,
        "Follow links at most that far from a seed.",
        check=values.at_least(0),
        most=10**6,
        metavar="N",
        is_adjustable=True,
    )
    sitemaps: bool = setting(
        True,
        values.flag,
        "Read the sitemaps that robots.txt names; of four new pages one at most comes from there.",
        is_adjustable=True,
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Traps:
    """URLs that lead to the same page again and again."""

    traps: bool = setting(
        True, values.flag, "Stay out of traps: calendars without end, session ids, endless paths and the like."
    )
    keep_parameters: bool = setting(
        False,
        values.flag,
        "Take URLs for different that differ in parameters for tracking or sessions only, such as utm_source or "
        "PHPSESSID.",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Politeness:
    """How often hosts are asked, and how much at a time."""

    delay: float = setting(
        1.0,
        values.duration,
        "Between requests to a host; robots.txt may ask for more. 0 switches politeness off, Crawl-delay too: only "
        "for servers of your own.",
        check=values.at_least(0),
        most=values.MOST_DELAY,
        shown="1s",
        metavar="TIME",
        is_adjustable=True,
    )
    host_delay: tuple[str, ...] = setting(
        (),
        values.texts,
        "Between two requests to this host, instead of --delay; its robots.txt may ask for more. A shorter one than "
        "--delay holds whatever IP address the host shares. The first one of a host counts. Repeatable.",
        check=values.host_delays,
        metavar="HOST=TIME",
    )
    ip_delay: float | None = setting(
        None,
        values.duration,
        "Between two requests to one IP address, which hosts may share; 0: none. The default is that of --delay.",
        check=values.at_least(0),
        most=values.MOST_DELAY,
        metavar="TIME",
        is_adjustable=True,
    )
    per_host: int = setting(
        1,
        values.whole,
        "Requests in flight per host, and per IP address with a delay.",
        check=values.at_least(1),
        most=1000,
        metavar="N",
        is_adjustable=True,
    )
    concurrency: int = setting(
        64,
        values.whole,
        "Requests in flight in all, but for those to hosts that have not answered yet.",
        check=values.at_least(1),
        most=10_000,
        metavar="N",
        is_adjustable=True,
    )
    workers: int = setting(
        0,
        values.whole,
        "Processes that fetch and parse; 0 = inside the main process.",
        check=values.at_least(0),
        most=values.MOST_WORKERS,
        metavar="N",
        is_adjustable=True,
    )
    ignore_robots: bool = setting(False, values.flag, "Do not ask for robots.txt. Only for servers of your own.")
    respect_usage: tuple[str, ...] = setting(
        (),
        values.codes,
        "Fetch nothing that robots.txt does not want used for this: search, ai-input (of models that "
        "answer) or ai-train. Of pages that say so themselves the text is not kept, and export leaves them out. "
        "Repeatable.",
        check=values.each_of(USES),
        metavar="search|ai-input|ai-train",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Order:
    """Which page is next, and how importance is measured."""

    strategy: str = setting(
        "greedy", values.text, _STRATEGY, check=values.one_of(STRATEGY_NAMES), choices=STRATEGY_NAMES
    )
    jump: str = setting(
        BY_SITES,
        values.text,
        "Where a walker goes who follows no link: to sites, by how much other sites trust them, and there to pages "
        "that other sites link to; or to all pages alike, as in the papers. It decides importance, coverage, and with "
        "--strategy greedy what is read first. A later run may change it, without a request.",
        check=values.one_of(JUMPS),
        choices=JUMPS,
    )
    discovery: float = setting(
        1.0,
        values.share,
        "Share of the requests for pages never read; with 1 no page is fetched twice. Below 1, the others re-read "
        "pages as --refresh does.",
        check=values.from_0_to_1,
        metavar="SHARE",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Focus:
    """Pages that come earlier, or later. The ranking stays what the links say."""

    boost: tuple[str, ...] = setting(
        (),
        values.texts,
        "Multiply the priority of pages with matching URLs. Repeatable.",
        check=values.boosts,
        metavar="REGEX=FACTOR",
        is_adjustable=True,
    )
    topic: str = setting(
        "",
        values.text,
        "Pages on these words first: in their URL, in links to them, in titles around those.",
        metavar="WORDS",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Identity:
    """User agent, contact and request headers."""

    contact: str = setting(
        "",
        values.text,
        "Whom to ask about the crawl: an address for mail, or the URL of a page. It stands in the user agent; an "
        "address in the header From, too.",
        check=requests.contact,
        metavar="ADDRESS|URL",
    )
    user_agent: str = setting(
        USER_AGENT,
        values.text,
        "Who we say we are; its first word is looked up in robots.txt.",
        check=requests.user_agent,
        metavar="NAME",
    )
    header: tuple[str, ...] = setting(
        (),
        values.texts,
        "Send this header too: to HOST alone (a name, name:port or https://name), to all hosts (*), or else to those "
        "of the seeds, and never along a redirect or link to others. Not kept in the store. Repeatable.",
        check=requests.headers,
        hide=requests.shown_headers,
        metavar="'[HOST=]NAME: VALUE'",
    )
    sign: Path | None = setting(
        None,
        values.file,
        "Sign every request with this key, by Web Bot Auth, so that sites can tell the crawler from others that use "
        "its name. 'minicrawl key new FILE' makes one. Needs --signature-agent.",
        metavar="KEYFILE",
    )
    signature_agent: str = setting(
        "",
        requests.signature_agent,
        "Where the key of --sign is published, as 'minicrawl key directory' prints it: an https origin, or the URL of "
        "the directory itself, for verifiers that want that.",
        metavar="URL",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Http:
    """Proxies, routes, and limits of one request."""

    proxy: tuple[str, ...] = setting(
        (),
        requests.proxies,
        "Send requests through this proxy (http, https, socks5, or socks5h, which looks up names itself): all, or "
        "those for hosts that match PATTERN, such as '*.onion'; 'none' for no proxy. By default the proxies of the "
        "environment. Repeatable.",
        check=requests.are_proxies,
        metavar="[PATTERN=]URL",
        hide=requests.shown_proxies,
    )
    connect_to: tuple[ConnectTo, ...] = setting(
        (),
        requests.routes,
        "Connect elsewhere, as curl does; an empty HOST or PORT matches any; @FILE reads one a line. Repeatable.",
        metavar="HOST:PORT:ADDR:PORT",
        hide=requests.shown_routes,
    )
    ca_file: Path | None = setting(
        None, values.file, "Trust this certificate authority too.", check=values.there, metavar="PEM"
    )
    allow_private: bool = setting(False, values.flag, "Let the crawl reach loopback and private addresses.")
    timeout: float = setting(
        60.0,
        values.duration,
        "What one request may take in all.",
        check=values.more_than(0),
        most="1d",
        shown="60s",
        metavar="TIME",
    )
    max_size: int = setting(
        16 * 10**6,
        values.size,
        "Bytes read of one page, before and after unpacking.",
        check=values.at_least(1),
        most="1GB",
        shown="16MB",
        metavar="SIZE",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
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
        most="90d",
        shown="1h",
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
    on_change: str = setting(
        "",
        values.text,
        "Tell this command, on its standard input, of pages that are new, changed or gone, a line of JSON each. To be "
        "named at every run.",
        check=values.command,
        metavar="COMMAND",
        is_for_one_run=True,
        hide=values.program,
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Keep:
    """What is kept of pages beside their links."""

    text: bool = setting(
        False,
        values.flag,
        "Keep the text of every page, its headings, description, language and the texts of its links, in a file beside "
        "the store: about 3 kB a page. Pages that say noarchive are left out.",
    )
    pdf: bool = setting(
        False,
        values.flag,
        "Read PDF files as pages: their links, title and text. Needs the extra pdf.",
    )
    audit: bool = setting(
        False,
        values.flag,
        "Keep what an audit checks of every page beside its links and title: description, headings, images "
        "without alt, http parts of https pages, structured data, and the parts that links name.",
    )
    extract: tuple[str, ...] = setting(
        (),
        values.texts,
        "Take this out of every page, for --items: by a CSS selector, with ::attr(NAME) an attribute, or by "
        "xpath:PATH; NAME[]= takes all that is found. Repeatable.",
        metavar="NAME=SELECTOR",
    )
    extract_rule: tuple[str, ...] = setting(
        (),
        values.item_rules,
        "Take items out of pages whose URL matches, as tables [extract.NAME] of a file of options say: "
        '{"name": "price", "match": "/shop/", "each": ".product", "fields": {"price": ".price"}}. Repeatable.',
        metavar="JSON",
    )
    extract_structured: bool = setting(
        False,
        values.flag,
        "Take structured data out of every page, for --items: JSON-LD, microdata, OpenGraph and Dublin Core.",
    )
    items: str = setting(
        "",
        values.text,
        "Write what is taken out of pages to this file, .jsonl, .csv or .parquet, with the crawl's commits. To be "
        "named at every run.",
        metavar="FILE",
        is_for_one_run=True,
    )
    hook: tuple[str, ...] = setting(
        (),
        values.texts,
        "Call functions of your own: MODULE, MODULE:FUNCTION, FILE.py, FILE.py:FUNCTION or the name of an entry point. "
        "To be named at every run. Repeatable.",
        metavar="PLACE",
        is_for_one_run=True,
    )
    search: bool = setting(
        False,
        values.flag,
        "Index pages for 'minicrawl search': while the crawl runs; keeps texts, as --text does.",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Archive:
    """Keeping answers in WARC files, and reading them again."""

    archive: Path | None = setting(
        None,
        values.file,
        "Keep all that is read in this folder, in WARC files that other programs can replay.",
        check=values.folder,
        metavar="DIR",
    )
    from_archive: tuple[str, ...] = setting(
        (),
        values.places,
        "Ask nobody for anything: read what this archive has, a folder of --archive, WARC, ARC or WACZ files of any "
        "program, - for standard input, or an index (FILE.cdxj, FILE.cdxj@URL). Repeatable.",
        metavar="DIR|FILE|URL",
    )
    dedup: bool = setting(
        True,
        values.flag,
        "Let the archive refer to a body that it has already, of 1,000 bytes or more, instead of keeping it again.",
    )
    requisites: bool = setting(
        False,
        values.flag,
        "With --archive: keep what archived pages need to look as they do as well: style sheets, scripts, pictures, "
        "fonts, frames, from any host.",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Rendering:
    """Pages that scripts make, in a Chromium."""

    render: tuple[str, ...] = setting(
        (),
        values.texts,
        "Run the scripts of pages whose URL matches in a Chromium, and read what they make. Repeatable.",
        check=values.patterns,
        metavar="REGEX",
    )
    chromium: Path | None = setting(
        None,
        values.file,
        "The Chromium for --render, instead of the first chromium, chromium-browser or google-chrome on the PATH.",
        metavar="FILE",
    )
    screenshots: bool = setting(
        False,
        values.flag,
        "Keep screenshots of rendered pages in the archive, with the style sheets, pictures and fonts that they show. "
        "Needs --render and --archive.",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Logins:
    """Passwords, certificates and cookies for hosts."""

    auth: tuple[str, ...] = setting(
        (),
        requests.logins,
        "Log in at HOST by name and password (basic authentication): at https://HOST, and at seeds of that name; "
        "http://HOST and other ports are to be written out. Without HOST, at the origins of the seeds. @FILE reads one "
        "a line. Never sent to another origin; not kept in the store. Repeatable.",
        check=requests.are_logins,
        metavar="[HOST=]NAME:PASSWORD",
        hide=requests.shown_logins,
    )
    cookies: bool = setting(
        False,
        values.flag,
        "Take cookies, and send them to the hosts that they are for. They are kept in the store, in the clear: nobody "
        "but you may read it then.",
    )
    cookie_file: Path | None = setting(
        None,
        values.file,
        "Take cookies, as --cookies does, beginning with those in this file in the format of Netscape; written at the "
        "end of every run.",
        check=requests.is_no_folder,
        metavar="FILE",
    )


GROUPS = (Limits, Scope, Traps, Politeness, Order, Refresh, Focus, Keep, Rendering, Archive, Identity, Logins, Http)
