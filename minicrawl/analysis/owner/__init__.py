"""What the owner of a site asks of a crawl.

page_links  links that are broken, redirected or lead to other sites, each with the page it stands on
"""
