"""All optional capabilities, in the order in which a turn passes through them."""

from minicrawl.crawler.parts.alerts import Alerts
from minicrawl.crawler.parts.alternates import Alternates
from minicrawl.crawler.parts.archive import Archive, Requisites
from minicrawl.crawler.parts.cookies import Cookies
from minicrawl.crawler.parts.duplicates import DuplicatePages, FrontPages, SoftErrors
from minicrawl.crawler.parts.kept import HookFailures, HostPictures, Items, Texts, Usage
from minicrawl.crawler.parts.refresh import Refresh
from minicrawl.crawler.parts.traps import SessionUrls, TrapRefusals
from minicrawl.crawler.visits.part import Part

ALL_PARTS: tuple[type[Part], ...] = (
    HookFailures,
    TrapRefusals,
    SessionUrls,
    DuplicatePages,
    SoftErrors,
    FrontPages,
    Alternates,
    Usage,
    Texts,
    Items,
    HostPictures,
    Refresh,
    Archive,
    Requisites,
    Cookies,
    Alerts,
)
