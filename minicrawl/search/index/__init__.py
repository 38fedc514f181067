"""The index, and how it is made of what the store keeps.

words         text as the index takes it              page_words    what is taken from a kept text
anchors       what links say of the page they lead to short_barrel  what is said of a page in few words
index_file    the file, and what can be wrong with it following     the index brought up to the store
opening       both opened for that                    beside_crawl  a process that does so during a crawl
"""
