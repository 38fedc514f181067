"""What the owner of a site asks of a crawl.

site_report what a report on a crawl says
page_columns columns of an export that a user may ask for
sitemap_pages the pages of a sitemap
page_filter which pages a user wants to see
copies      pages that carry the text of a page
page_links  links that are broken, redirected or lead to other sites, each with the page it stands on
"""
