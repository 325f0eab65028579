"""One file an API: how it is told of the tools, how its calls are read, how results are put into its form. Pure.

What several of them share stands in `base`, `markers` and `known`; `anthropic_citations` reads what comes back.
"""
