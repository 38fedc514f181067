"""Documents in other formats than HTML: made into HTML in child processes, which the parser and hooks then read.

conversion  the types that are read, and their conversion
pdf         PDF files (--pdf). Imports pypdf, in the child alone
"""
