"""The demo web: generated from a seed, served on this machine, its exact ranks known.

web        the answer of every URL, the true importance of every page
weaving    hosts, pages and links, drawn from a seed
words      names of hosts and pages, text of paragraphs
resources  pages, redirects and files, and pages as HTML
on_demand  pages made up when asked for: the calendar, traps without end
server     the web over real HTTP on loopback
compare    the quality of a crawl, against that truth
"""
