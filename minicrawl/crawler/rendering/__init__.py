"""Pages that are made by scripts: rendered in a Chromium that the user has.

renderer        renders a page that was fetched
chromium        the browser: found, started, started again, and kept off the network. Imports playwright
cage            where it is started: without a network, and it ends with the crawl
watch           memory and CPU that its processes may take
page_requests   what the scripts of a page may ask for, and the answers: by our own fetcher, at our own pace
pace            one request to a host at a time, and how long after the last one
cache           scripts that many pages ask for
"""
