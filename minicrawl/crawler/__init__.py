"""The live crawl: a folder a stage, in the order a URL travels. No folder imports from one further down this list.

urls        what a URL is, and which URLs share a host, an origin, a site
books       what is kept of every page: both books of cash and importance, depth, in-links; and their audit
admission   which URLs may become known: seeds, scope, focus, traps
net         addresses, names, TLS, open files
http        one request, one answer
hosts       hosts, how fast they are asked, whether anybody answers at all
frontier    which page of which host is next, and when
html        links, text and directives out of the bytes of a page
robots      what a robots.txt allows
archiving   what of an exchange goes into the archive
outcomes    what an answer means for its page: every reason code
sitemaps    which URLs a sitemap lists, and when they become known
sharing     what partitions of a crawl hand over to one another
known       the web as this crawl knows it, and what the next commit writes of it
rendering   pages made by scripts, rendered in a Chromium
sources     fetch and parse, here or in worker processes
recognise   duplicates, soft 404s, sessions
requests    what is asked for: pages, robots.txt, sitemaps, addresses, whether anybody answers
visits      the turn of a page, step by step
parts       optional capabilities, a file each
loop        what the engine's loop is made of: what is in flight, what has come

intake      takes in what comes back, and commits it
request_kinds  the kinds of request that a crawl makes
progress    what a run has done so far
dispatch    requests begun, and what comes of them taken in
commits     when everything is written
engine      the loop that joins the stages
contact     whether a crawl ought to say whom to ask about it
remembered_settings  the settings of a crawl that goes on
changes     what may be changed in a crawl while it runs
run         one crawl, from seeds to report
running_crawl  a crawl that runs, to be watched and steered
salvage     a new store of what can be read in a damaged one
"""
