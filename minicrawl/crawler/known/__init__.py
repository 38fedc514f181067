"""The web as this crawl knows it.

known_web     pages, their accounts, links and hosts
page_numbers  which page a URL is
batch         what the next commit writes
"""
