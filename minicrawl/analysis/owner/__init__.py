"""What the owner of a site asks of a crawl.

page_filter which pages a user wants to see
page_links  links that are broken, redirected or lead to other sites, each with the page it stands on
"""
