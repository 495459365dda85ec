"""From a model's graphs to straight-line programs: charts, elimination on the fibre, branches of kinks."""
