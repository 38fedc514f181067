"""The live crawl: a folder or module a stage, in the order a URL travels. None imports from one further down this list.

books       the accounts of all pages: cash and history, depth, in-links; and their check
admission   rules by which URLs become known: seeds, scope, focus, budgets
hosts       hosts, their delays, their health
frontier    the pages that wait: their order, the hosts that may get a request now, due times
archiving   exchanges written to the archive, and read back
outcomes    the outcome of an answer for its page: every reason code
sharing     messages between the partitions of a crawl
known       the crawl's knowledge of the web, and the rows of the next commit
sources     fetch and parse, here or in worker processes
recognise   duplicates, soft 404s, changes of pages
requests    the requests: pages, robots.txt, sitemaps, addresses, outage checks
visits      the turn of a page, step by step; aliases
steps       what every crawl does at an answer, a file each; the list of them and of the parts
loop        parts of the engine's loop: requests in flight, arrivals

intake      takes in results of requests, and commits them
due_requests  the next request, of any kind, and those that must come before it
progress    counts of a run so far, and what its hosts wait for
engine      the loop that joins the stages: begins requests, takes in their results, and commits
remembered_settings  the settings of a resumed crawl; whether a crawl names a contact
steering    changes of settings, seeds and bans while a crawl runs
assemble    a run put together of all these
run         one crawl, from seeds to report
running_crawl  a running crawl, to be watched and steered
salvage     a new store from a damaged one
"""
