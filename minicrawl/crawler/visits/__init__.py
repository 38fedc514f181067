"""What the turn of a page brings about.

visit           the turn of a page, step by step
outlinks        which links of a page count
aliases         pages that stand for others
recognition     pages that say what others say
merging         copies that are one page
soft_errors     pages that are soft 404s
probes          requests by which pages are recognised
alternates      pages in other languages: one is fetched first, the others last
max_depth       links that only --max-depth keeps out
scheme_guesses  seeds that were given without a scheme
"""
