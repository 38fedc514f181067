"""What hosts are shown to let us in.

passwords   names and passwords, of --auth and of netrc files, as headers for origins
netrc_file  names and passwords out of a netrc file
"""
