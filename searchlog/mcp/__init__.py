"""The tools over the Model Context Protocol: by stdin and stdout, or by HTTP on this machine. Needs the extra `mcp`.

service     one session, made at the first call, and what is done in it           knows nothing of the SDK
forms, chatgpt, resources, mending, gate    what goes over the wire, and what may come in; pure but `resources`
server      requests of the SDK, answered by the service
stdio, http the two transports
"""
