"""What is kept of every page, in memory and on disk.

accounts         both books, the coverage bound, depth and in-links of all pages
anticipated_cash what never visited pages can be expected to get
waiting_key      of what the key of such a page is made, in a store
page_block       the accounts of pages that follow one another, of rows or of a copy in the store
stored_accounts  their rows and totals in the store
stored_births    by which rule pages are born with cash
top_pages        which pages may be the most important
graph_counts     links and strong components of the web while it is crawled
audit            what a store promises, checked
site_audit       the links between sites, counted again
stored_forms     what a store keeps in a form of its own: meta and JSON
"""
