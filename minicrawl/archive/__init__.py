"""The archive: responses in WARC files, for other programs to replay.

record      the bytes of a WARC 1.1 record
writer      writes records to files, and truncates uncommitted bytes after a kill
reading     reads records from WARC files of any origin
cdxj        the index, and looking up a URL in it
collection  an archive as a folder; folders and files that name archives
check       finds damaged records and gaps in the index
export      an archive as one file
"""
