"""All optional capabilities, in the order in which a turn passes through them."""

from minicrawl.crawler.parts.alerts import Alerts
from minicrawl.crawler.parts.alternates import Alternates
from minicrawl.crawler.parts.archive import Archive
from minicrawl.crawler.parts.cookies import Cookies
from minicrawl.crawler.parts.duplicates import DuplicatePages, FrontPages
from minicrawl.crawler.parts.hook_failures import HookFailures
from minicrawl.crawler.parts.items import Items
from minicrawl.crawler.parts.page_facts import Facts
from minicrawl.crawler.parts.refresh import Refresh
from minicrawl.crawler.parts.repeated_blocks import HostPictures
from minicrawl.crawler.parts.requisites import Requisites
from minicrawl.crawler.parts.soft_404s import SoftErrors
from minicrawl.crawler.parts.texts import Texts
from minicrawl.crawler.parts.traps import SessionUrls, TrapRefusals
from minicrawl.crawler.parts.usage import Usage
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
    Facts,
    Items,
    HostPictures,
    Refresh,
    Archive,
    Requisites,
    Cookies,
    Alerts,
)
