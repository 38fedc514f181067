"""The dashboard: a page in the browser that shows a crawl, running or not, and steers it. On loopback, with a token.

http_server HTTP and access control
looks       the state of a crawl at one moment, running or not, for pages and as OpenMetrics
readings    results so far: best pages, hosts, explanations of pages, the crawl over time; computed once for all
issues      what an audit found, also for the report
commands    the commands that a page may send, and starting a crawl
serving     the server: the answer to each path
"""
