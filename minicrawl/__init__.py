"""minicrawl: crawl the important part of the web first.

    import minicrawl
    report = minicrawl.crawl(["https://example.org/"], store="data/crawl.db", pages=1000)
    with minicrawl.open_store("data/crawl.db") as store:
        for page in store.top(10):
            print(page.rank, page.importance, page.url)

A URL passes  seeds -> frontier -> fetch -> parse -> book -> store,  and everything else reads the store:

web/      URLs, HTTP, HTML, robots.txt, sitemaps   store/   the data on disk: one SQLite file
crawler/  the live crawl, a folder per stage
opic/     the algorithm: the order of pages, and   rank/    link analysis of a finished graph
          the importance of each                   export/  files for other programs
cli/      the commands                             demo/    a generated web to try it on
analysis/ analyses of a crawl's pages and links    graphs/  graphs from files, to files, as pictures
lab/      the papers' experiments                  control/ commands from another shell to a running crawl
extract/  items extracted from pages               archive/ answers in WARC files
search/   full-text search and its index           dashboard/ a web page that shows and steers a crawl
cluster/  one crawl in several partitions          sandbox/ child processes for untrusted bytes and code
audit/    faults of a site, found in its crawl
assistant/  a crawl as tools of an assistant       parts/   optional capabilities, a folder each

api       the Python interface                     settings/ settings of a crawl, in groups
model     values passed between the stages         errors    exceptions, each with a message for the user
events    events of a running crawl
reasons   reason codes in one table
timing    time limits and intervals                sizes     batch and cache sizes
system    calls of the system; memory              log       events of the log, with their keys
reading   the read side of a store for programs    experiment results of an experiment
installed how minicrawl was installed                setting   a setting, and the kinds of their values
"""

from typing import TYPE_CHECKING, Any  # Any: settings as given

from minicrawl.errors import ConfigError, MinicrawlError

if TYPE_CHECKING:
    from minicrawl.api import Crawl, acrawl, crawl, watch
    from minicrawl.model import CrawlReport
    from minicrawl.reading import open_store

__version__ = "1.0.0"
__all__ = ["ConfigError", "Crawl", "CrawlReport", "MinicrawlError"]
__all__ += ["__version__", "acrawl", "crawl", "open_store", "watch"]

_HOMES = {
    "Crawl": "minicrawl.api",
    "acrawl": "minicrawl.api",
    "crawl": "minicrawl.api",
    "CrawlReport": "minicrawl.model",
    "open_store": "minicrawl.reading",
    "watch": "minicrawl.api",
}


def __getattr__(name: str) -> Any:
    # Looked up on first use, so that 'minicrawl --help' does not load numpy and an HTTP client.
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'minicrawl' has no attribute {name!r}")
