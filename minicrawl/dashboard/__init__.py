"""The dashboard: a page in the browser that shows a crawl, running or not, and steers it. On loopback, with a token.

web         HTTP, access control, shared answers: a folder
looks       the state of a crawl at one moment, running or not
readings    results so far: best pages, hosts, explanations of pages, the crawl over time
commands    the commands that a page may send, and starting a crawl
metrics     a look as OpenMetrics, for Prometheus
serving     the server: the answer to each path
"""
