"""Which pages a user selects.

expression  an SQL expression that a user writes: what it may be made of, and what it may ask
outstanding pages that stand out: slow, large, without a title, said again
selection   the pages that conditions, and such an expression, hold for
"""
