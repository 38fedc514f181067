"""The live crawl, in the order a URL travels.

seeds     where it starts                         fetch     the network: the only module that imports httpx
urls      what a URL is                           connect   which address a connection goes to, or may not
scope     which links are followed, and why not   connection  HTTP/1.1, and connections kept
                                                  decode    which text a page's bytes are
                                                  elements  which elements: the only one with parsers of HTML
                                                  parse     links, title, directives
focus     links that get more of a page's cash    outcome   what a response means for its page
robots    what a host allows                      source    fetch and parse, here or in worker processes
hosts     hosts, addresses, and their clocks      absorb    books, frontier and store take in an outcome
lanes     the best page of the hosts on offer     engine    the loop that joins them
frontier  which page of which host, and when      run       one crawl, from seeds to report
known     which page a URL is                     audit     what a store promises, checked
accounts  what is kept of every page              batch     what the next commit writes
sitemaps  which URLs a sitemap lists              sitemap_queue  which are asked for; what is let in, and when
"""

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """`minicrawl.crawl(...)` is the function of that name in `run`, though `minicrawl.crawl` is this package."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from minicrawl.crawl.run import crawl

        return crawl(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
