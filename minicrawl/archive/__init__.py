"""The archive: what was read, kept in WARC files, so that other programs can replay it.

record      the bytes of a WARC 1.1 record              writer      files, and what is kept of an answer
recovery    after a kill: what was committed, no more   cdxj        the index, and finding a URL in it
reading     records out of files, ours or anybody's     collection  an archive as a folder
check       what is wrong with one          sources        archives that a crawl reads in place of the network
export      an archive as one file
"""
