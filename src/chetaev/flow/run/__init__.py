"""Machine code at work: fields over arrays of states, motions with their events, and why they end."""
