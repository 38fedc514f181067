"""A page in the browser that shows a crawl, running or not, and steers it. Served on loopback, to who has the token.

web        HTTP, who may ask, and what is shared by several pages
looks      a crawl at one moment, whether it runs or not
aims       how far it is toward each limit, and when it will be there
curves     many numbers as a few points of a curve
readings   what it has found: the best pages, importance collected, hosts, why, search; wherever it stands
one_store  all that of a crawl in one store
statistics the shape of the crawled web, and how the crawl has gone on
picture    the best pages, or hosts, and the links between them
layout     where the nodes of a graph stand
starting   a crawl that is started from the page
commands   what a page may have done
metrics    a look as Prometheus reads it
routes     which path is answered by what
serving    all of that together
"""
