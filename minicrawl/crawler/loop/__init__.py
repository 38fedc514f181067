"""Parts of the engine's loop that know nothing of pages.

arrivals      answers and commands that wait to be absorbed, and the thread for long work on the books
clock         time that never steps back, and the time of a run without its pauses
commands      commands to the running crawl, confirmed once a commit holds them
event_stream  events for any number of readers
in_flight     the requests in flight, and the room for more
limits        the limits of a run, and the progress toward them
measurements  the crawl's curves over time, its speed, counts of its answers
"""
