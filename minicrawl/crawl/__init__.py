"""The live crawl, in the order a URL travels.

seeds     where it starts                         fetch     the network: the only module that imports httpx
urls      what a URL is                           connect   which address a connection goes to, or may not
scope     which links are followed, and why not   connection  HTTP/1.1, and connections kept
                                                  tls       between connections and sockets
                                                  deadlines  one time limit for all fetches
                                                  decode    which text a page's bytes are
                                                  elements  which elements: the only one with parsers of HTML
                                                  parse     links, title, directives
focus     links that get more of a page's cash    outcome   what a response means for its page
robots    what a host allows                      source    fetch and parse, here or in worker processes
hosts     hosts, addresses, and their clocks      absorb    the turn of a page: books, frontier and store take it in
lanes     the best page of the hosts on offer     aliases   pages that stand for others, and when not
headers   which go to whom                        remembered  settings of a crawl that goes on
frontier  which page of which host, and when      beyond    links that only --max-depth keeps out
known     which page a URL is                     repeats   pages that say what others do: duplicates, soft 404s
accounts  what is kept of every page              host_turns  how the turns of hosts end
canonicals  whether a page is believed that names one
batch     what the next commit writes             sitemap_turns  sitemaps are asked for, their URLs let in
known_web  all these, for absorb and its parts    engine    the loop that joins them
sitemaps  which URLs a sitemap lists              robots_turns  robots.txt is asked for, redirects followed
sitemap_queue  which is next, and whose URLs      arrivals  what comes back to it
outage    whether nobody answers any more         run       one crawl, from seeds to report
knocks    whom to ask then                        audit     what a store promises, checked
merging   copies that are one page                twins     pages in other languages: one first, the others last
open_files  how many connections there may be      timing    how long it waits, and for what
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
