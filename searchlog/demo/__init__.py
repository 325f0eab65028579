"""The demo: a small web site about lighthouses that ships with the package, and its loopback server and search."""
