"""Pages selected by a user.

expression  a user's SQL expression: its syntax and permissions
selection   pages that satisfy conditions or an expression
"""
