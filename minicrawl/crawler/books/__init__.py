"""The accounts of all pages, in memory and on disk, and their check.

accounts         the book, the coverage bound, depth and in-links of all pages
page_block       the accounts of consecutive pages, from their rows
stored_accounts  their rows and totals in the store
stored_births    the rule of birth cash of pages
top_pages        candidates for the most important pages
invariants       the invariants of a store, checked
stored_forms     values of `meta` and JSON columns, checked
"""
