"""What hosts are shown to let us in.

passwords     names and passwords, of --auth and of netrc files, as headers for origins
places        which origins a secret is for
netrc_file    names and passwords out of a netrc file
certificates  which hosts are shown a certificate of ours
set_cookie    what a header field Set-Cookie says
cookie_jar    which host may set a cookie, and which get it
cookie_file   cookie files in the format of Netscape
kept_cookies  cookies in the store, and in the user's file
"""
