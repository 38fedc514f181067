"""The turn of a page.

visit           the turn of a page, step by step
turn            an answer for a page, as it passes from step to step
part            optional capabilities, and the list of those that are on
outlinks        the counted links of a page
aliases         pages that stand for others
deep_links      links that only --max-depth keeps out
scheme_guesses  seeds given without a scheme
"""
