"""A page as a tree, whichever parser builds it.

tree         what a parser has to tell of a page
browser_tree a page as a browser's parser sees it, by Lexbor
plain_tree   a page as libxml2 reads it without most of its tags
nesting      how deep the tags of a page are inside one another
"""
