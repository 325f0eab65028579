"""The tools as frameworks for agents want them: one thin file a framework, each an extra of its name.

A framework is imported in its own file only, so what is not used need not be there. All of them call `Tool.call`, with
the schemas of `searchlog.tool.definition`: what a model is told, and what is kept, is the same everywhere.
"""
