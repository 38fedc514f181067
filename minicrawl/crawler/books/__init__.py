"""The accounts of all pages, in memory and on disk, and their check.

accounts      the book, the coverage bound, depth and in-links of all pages
late_turns    what late turns found, for the coverage
stored        their rows and totals in the store, the rule of birth cash
invariants    the invariants of a store, checked
stored_forms  values of `meta` and JSON columns, checked
"""
