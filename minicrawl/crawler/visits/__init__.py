"""The turn of a page.

visit    the turn of a page, step by step; its counted links
turn     an answer for a page, as it passes from step to step; links that only --max-depth keeps out
part     optional capabilities, and the list of those that are on
aliases  pages that stand for others
"""
