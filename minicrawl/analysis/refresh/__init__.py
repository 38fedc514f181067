"""Pages that are fetched again.

freshness     how fresh the pages of a crawl are
page_refresh  what is known of one of them
due_times     when they are due
"""
