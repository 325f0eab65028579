"""One file an API: how it is told of the tools, how its calls are read, how results are put into its form. Pure."""
