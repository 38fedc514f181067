"""What pages say, kept in a file beside the store.

marked_text  the form in which the text of a page is kept, and what can be read out of it
text_file    the file: records behind one another
writing      texts added to the file with a commit
reading      the texts of a store's pages
copying      the file copied with its store, and made smaller
"""
