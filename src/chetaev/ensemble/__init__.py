"""Many motions of one system: members, their runs on all cores, stores that can be resumed, clusters."""
