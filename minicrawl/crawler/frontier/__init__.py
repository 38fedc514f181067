"""Which page is next.

frontier       which page of which host, and when
waiting_pages  the pages that wait on every host, and which is best
due_pages      when read pages are fetched again
schedules      how long a page rests between two fetches of it
first_rates    how often pages are taken to change that were fetched once
dates          when pages have changed as their servers say, and how far that is believed
most_worth     read pages by what a fetch of them gains now
lanes          the best page of the hosts on offer
waits          for what hosts wait, and until when
errands        what hosts are asked for that is no page, waiting for a turn
addresses      the addresses of hosts, and how many look-ups the name server gets at once
"""
