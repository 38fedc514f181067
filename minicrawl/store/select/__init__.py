"""Pages selected by a user.

expression  a user's SQL expression: its syntax and permissions
outstanding pages that stand out: slow, large, untitled, duplicated
selection   pages that satisfy conditions or an expression
"""
