"""Capture points for agents that already run: what their hooks tell of a tool's result becomes records here.

event.py          the JSON that a hook is given on stdin, its values as they stand in it. Pure
shapes.py         texts, links and sealed parts in the result of any tool. Pure
claude_code.py    what the results of Claude Code's tools are, and how true they are to what was read. Pure
codex.py          the same of Codex. Pure
mcp_tools.py      the same of tools of MCP servers, whichever agent called them. Pure
agents.py         the agents that are known, by name. Pure
client.py         version and model of the agent, from its transcript: reads that file
alone.py          a lock between the processes of one archive
keep.py           the session of an agent's session, and the records of one result: writes to the archive
recapture.py      the pages that a result names, captured anew: fetches, in a process of its own
config.py         what an agent's settings must hold to call us. Pure
install.py        writes that into them, when asked

A hook must never stop its agent: whatever arrives is kept, and what cannot be kept is said in one line.
"""
