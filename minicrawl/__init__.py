"""minicrawl: crawl the important part of the web first.

A URL travels  seeds -> frontier -> fetch -> parse -> ledger -> store,  and everything else reads the store:

crawler/  the live crawl, a folder a stage         store/   what stays on disk: one SQLite file
opic/     the algorithm: which page next, and      rank/    link analysis of a finished graph
          how important every page is              export/  files for other programs
cli/      one module per command                   demo/    a generated web to try it on
analysis/ what a crawl's links say                 graphs/  graphs from files, to files, as pictures
lab/      the papers' experiments                control/ what another shell may ask of a running crawl
extract/  what users take out of pages          archive/ what was read, in WARC files
search/   finding pages by words, and the index  dashboard/ a page in the browser that shows and steers a crawl
cluster/  one crawl in several partitions         sandbox/ child processes for foreign bytes and code

api       what a Python program calls              settings/ everything a crawl can be asked for, in groups
model     values that travel between the stages    errors    what is wrong, in a sentence for people
events    what happens in a running crawl
timing    how long a crawl waits, and for what     sizes     how much is done at a time
system    what only some systems have              log       events of the log, with their keys
report    what an experiment says

    import minicrawl
    report = minicrawl.crawl(["https://example.org/"], store="data/crawl.db", pages=1000)
    with minicrawl.open_store("data/crawl.db") as store:
        for page in store.top(10):
            print(page.rank, page.importance, page.url)
"""

from typing import TYPE_CHECKING, Any  # Any: settings as given

from minicrawl.errors import ConfigError, MinicrawlError

if TYPE_CHECKING:
    from minicrawl.api import Crawl, acrawl, crawl
    from minicrawl.model import CrawlReport
    from minicrawl.search.searched_store import open_store

__version__ = "0.1.0"
__all__ = ["ConfigError", "Crawl", "CrawlReport", "MinicrawlError", "__version__", "acrawl", "crawl", "open_store"]

_HOMES = {
    "Crawl": "minicrawl.api",
    "acrawl": "minicrawl.api",
    "crawl": "minicrawl.api",
    "CrawlReport": "minicrawl.model",
    "open_store": "minicrawl.search.searched_store",
}


def __getattr__(name: str) -> Any:
    # Looked up on first use, so that 'minicrawl --help' does not load numpy and an HTTP client.
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'minicrawl' has no attribute {name!r}")
