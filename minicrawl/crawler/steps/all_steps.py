"""All steps, in the order in which a turn passes through them: first those of the core, then the parts."""

from minicrawl.crawler.steps.alternates import Alternates
from minicrawl.crawler.steps.archive import Archive, Requisites
from minicrawl.crawler.steps.cookies import Cookies
from minicrawl.crawler.steps.duplicates import DuplicatePages, FrontPages, SoftErrors
from minicrawl.crawler.steps.kept import HookFailures, HostPictures, Items, Texts, Usage
from minicrawl.crawler.steps.refresh import Refresh
from minicrawl.crawler.steps.traps import SessionUrls, TrapRefusals
from minicrawl.crawler.visits.step import Step
from minicrawl.parts import parts

STEPS: tuple[type[Step], ...] = (
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
    *parts(),
)
