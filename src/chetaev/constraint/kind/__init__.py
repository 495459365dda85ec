"""Which kind of constraint it is: verdict after verdict, put together."""
