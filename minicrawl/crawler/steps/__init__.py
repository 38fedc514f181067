"""What every crawl does at an answer beside the visit itself, a file each: there it decides, notes, saves and explains.

duplicates  copies, pages under several names or with a canonical URL, and errors in spite of status 200
alternates  pages in other languages: one is fetched first, the others last
kept        what is kept of pages: texts, items, blocks that a host repeats; failures of hooks
refresh     due times, change rates and validators of pages
archive     rows of archived answers
requisites  the files that pages need to look as they do, for an archive or an audit

STEPS are all, in the order in which a turn passes through them: first those of the core, then the parts.
"""

from minicrawl.crawler.steps.alternates import Alternates
from minicrawl.crawler.steps.archive import Archive
from minicrawl.crawler.steps.duplicates import DuplicatePages, FrontPages, SoftErrors
from minicrawl.crawler.steps.kept import HookFailures, HostPictures, Items, Texts, Usage
from minicrawl.crawler.steps.refresh import Refresh
from minicrawl.crawler.steps.requisites import Requisites
from minicrawl.crawler.visits.step import Step
from minicrawl.parts import parts

STEPS: tuple[type[Step], ...] = (
    HookFailures,
    DuplicatePages,
    SoftErrors,
    FrontPages,
    *parts(),
    Alternates,
    Usage,
    Texts,
    Items,
    HostPictures,
    Refresh,
    Archive,
    Requisites,
)
