"""What the turn of a page brings about.

visit           the turn of a page, step by step
outlinks        which links of a page count
aliases         pages that stand for others
lookalikes      pages that say what others say
merging         copies that are one page
refreshing      what is learned of pages as they are fetched again
soft_errors     pages that are soft 404s
due_probes      which probe is due, and what its answer says
alternates      pages in other languages: one is fetched first, the others last
max_depth       links that only --max-depth keeps out
hook_failures   what hooks did wrong, counted
scheme_guesses  seeds that were given without a scheme
"""
