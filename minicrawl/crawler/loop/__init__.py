"""Parts of the engine's loop that know nothing of pages.

commands      commands to the running crawl, confirmed once a commit holds them; events for any number of readers
in_flight     the requests in flight, the room for more, answers that wait to be absorbed, the thread for long work
limits        the clock, and the limits of a run with the progress toward them
together      what the runs of one process have in common
measurements  the crawl's curves over time, its speed, counts of its answers
"""
