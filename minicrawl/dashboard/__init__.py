"""The dashboard: a page in the browser that shows a crawl, running or not, and steers it. On loopback, with a token.

web         HTTP, access control, shared answers: a folder
looks       the state of a crawl at one moment, running or not
readings    results so far: best pages, importance, hosts, explanations of pages, search
statistics  the shape of the crawled web, the crawl over time, curves of a few points
picture     the best pages, or hosts, and the links between them, laid out
commands    the commands that a page may send, and starting a crawl
metrics     a look as OpenMetrics, for Prometheus
serving     the server: the answer to each path
"""
