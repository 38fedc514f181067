"""What the engine's loop is made of, and what knows nothing of pages.

arrivals   what has come and waits to be taken in
aside      what may take long, done in a thread
in_flight  the requests in flight, and the room for more
limits     when a run has done what it was to do
clock      time that never steps back
"""
