"""Model APIs on loopback: they check a request as the vendor would, call tools as scripted, then answer with citations.

    with speaking([[("web_search", {"query": "tide mill", …})]]) as vendor:
        client = anthropic.Anthropic(base_url=vendor.url, api_key="none")

Served are Anthropic Messages, OpenAI Responses and Chat Completions, Gemini generateContent and Interactions. The n-th
request of a conversation gets the n-th round of calls, the one after the last round an answer that quotes and cites the
last passage that the request shows: by number of block, by id or by marker. A request that the vendor would refuse gets
status 400 in the vendor's form; the checks are functions of their own, which return what is wrong, or None.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Calls = Sequence[tuple[str, Mapping[str, Any]]]
SIGNATURE = base64.b64encode(b"thought of before the call").decode()
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


# --- what vendors refuse -----------------------------------------------------------------------------------------


def strict_fault(schema: Any, at: str = "$") -> str | None:
    """Return what a strict mode refuses in a schema."""
    if not isinstance(schema, Mapping):
        return f"{at} is no schema"
    unknown = schema.keys() - {"type", "properties", "required", "additionalProperties", "items", "enum", "description"}
    if unknown:
        return f"{at} has {', '.join(sorted(unknown))}"
    if schema.get("type") == "object":
        names = list(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False:
            return f"{at} must set additionalProperties to false"
        if sorted(schema.get("required", [])) != sorted(names):
            return f"{at} must require every property"
        return _first(strict_fault(schema["properties"][name], f"{at}.{name}") for name in names)
    if schema.get("type") == "array":
        return strict_fault(schema.get("items"), f"{at}[]")
    return None if schema.get("type") in ("string", "integer", "number", "boolean") else f"{at} has no type"


def anthropic_fault(body: Mapping[str, Any]) -> str | None:
    """Return what Anthropic refuses in a request for a message."""
    for name in ("model", "max_tokens", "messages"):
        if not body.get(name):
            return f"{name}: Field required"
    for tool in body.get("tools", []):
        if not _NAME.fullmatch(tool.get("name", "")) or tool.get("input_schema", {}).get("type") != "object":
            return f"tools: {tool.get('name')!r} is no tool"
        if tool.get("strict") and (fault := strict_fault(tool["input_schema"])):
            return f"tools: {fault}"
    turns = _merged(body["messages"])
    if turns[0][0] != "user":
        return "messages: first message must use the user role"
    settings = set()
    waiting: list[str] = []
    for role, blocks in turns:
        results = [block.get("tool_use_id") for block in blocks if block["type"] == "tool_result"]
        if role == "user":
            if sorted(results) != sorted(waiting):
                lacking, odd = set(waiting) - set(results), set(results) - set(waiting)
                return (
                    f"tool_use ids were found without tool_result blocks immediately after: {', '.join(lacking)}"
                    if lacking
                    else f"unexpected tool_use_id found in tool_result blocks: {', '.join(map(str, odd or results))}"
                )
            if any(block["type"] == "tool_result" for block in blocks[len(results) :]):
                return "tool_result blocks must come first in the content"
            waiting = []
        elif waiting or results:
            return "tool_result blocks belong to the user"
        for block in blocks:
            if fault := _anthropic_block(block, settings):
                return fault
            if block["type"] == "tool_use":
                waiting.append(block["id"])
    if waiting:
        return f"tool_use ids were found without tool_result blocks immediately after: {', '.join(waiting)}"
    return "search_result blocks must all have citations enabled, or none" if len(settings) > 1 else None


def _merged(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return messages by role, those of one role that follow each other as one."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        else:
            turns.append((message["role"], blocks))
    return turns


def _anthropic_block(block: Mapping[str, Any], settings: set[bool]) -> str | None:
    match block.get("type"):
        case "text":
            return None if str(block.get("text", "")).strip() else "text content blocks must be non-empty"
        case "tool_use":
            return None if _ID.fullmatch(block.get("id") or "") else f"tool_use.id: {block.get('id')!r} does not match"
        case "tool_result":
            inner = block.get("content")
            if isinstance(inner, str):
                return None
            if not inner:
                return "tool_result: content is empty"
            if block.get("is_error") and any(one["type"] != "text" for one in inner):
                return 'tool_result: all content must be type "text" if "is_error" is true'
            if not {one["type"] for one in inner} <= {"text", "image", "document", "search_result"}:
                return "tool_result: content of an unknown type"
            return _first(_anthropic_block(one, settings) for one in inner)
        case "search_result":
            settings.add(bool(block.get("citations", {}).get("enabled")))
            if not block.get("source") or not block.get("title") or not block.get("content"):
                return "search_result: source, title and content must be non-empty"
            if any(set(one) - {"cache_control"} != {"type", "text"} for one in block["content"]):
                return "search_result: content must be text"
            return _first(_anthropic_block(one, settings) for one in block["content"])
        case other:
            return None if other in ("thinking", "server_tool_use", "web_search_tool_result") else f"type: {other!r}"


def responses_fault(
    body: Mapping[str, Any], held: Mapping[str, Sequence[str]], before: Mapping[str, str]
) -> str | None:
    """Return what OpenAI refuses in a request for a response.

    held: call ids by the id of the response that made them. before: by the id of a call, that of its reasoning.
    """
    for tool in body.get("tools", []):
        if set(tool) - {"description"} != {"type", "name", "parameters", "strict"} or not _NAME.fullmatch(tool["name"]):
            return f"tools: {tool.get('name')!r} is no function"
        if tool["strict"] and (fault := strict_fault(tool["parameters"])):
            return f"Invalid schema for function {tool['name']!r}: {fault}"
    items = body.get("input")
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    previous = body.get("previous_response_id")
    open_calls = set(held.get(previous, ())) if previous else set()
    ids = {item["id"] for item in items if item.get("id")}
    seen: set[str] = set()
    for number, item in enumerate(items):
        kind = item.get("type", "message")
        if item.get("id") in seen:
            return f"Duplicate item found with id {item['id']}"
        seen.update(filter(None, [item.get("id")]))
        if kind == "function_call":
            if not isinstance(item.get("arguments"), str):
                return f"Invalid type for 'input[{number}].arguments': expected a string"
            if before.get(item.get("id", ""), item.get("id")) not in {*ids, item.get("id")}:
                return f"Item '{item['id']}' was provided without its required 'reasoning' item"
            open_calls.add(item["call_id"])
        elif kind == "function_call_output":
            if item.get("call_id") not in open_calls:
                return f"No tool call found for function call output with call_id {item.get('call_id')}."
            if not isinstance(item.get("output"), str | list):
                return f"Invalid type for 'input[{number}].output'"
            open_calls.remove(item["call_id"])
        elif kind == "reasoning":
            after = items[number + 1] if number + 1 < len(items) else {}
            if after.get("type") not in ("function_call", "message", "reasoning") or after.get("role") == "user":
                return f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
        elif kind != "message":
            return f"Invalid value: {kind!r}"
    return f"No tool output found for function call {sorted(open_calls)[0]}." if open_calls else None


def chat_fault(body: Mapping[str, Any]) -> str | None:
    """Return what OpenAI refuses in a request for a chat completion."""
    for tool in body.get("tools", []):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not _NAME.fullmatch(function.get("name", "")):
            return "tools: no function"
        if function.get("strict") and (fault := strict_fault(function["parameters"])):
            return f"Invalid schema for function {function['name']!r}: {fault}"
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            content = message.get("content")
            parts = [content] if isinstance(content, str) else [part.get("text") for part in content or []]
            if not parts or not all(isinstance(part, str) for part in parts):
                return "messages with role 'tool' hold text"
            if message.get("tool_call_id") not in waiting:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            break
        for call in message.get("tool_calls") or []:
            if not isinstance(call["function"]["arguments"], str):
                return "tool_calls: arguments must be a string"
            waiting.append(call["id"])
    if waiting:
        return (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
        )
    return None


def gemini_fault(body: Mapping[str, Any]) -> str | None:
    """Return what Gemini refuses in a request to generate content."""
    for tool in body.get("tools", []):
        for declared in tool.get("functionDeclarations", []):
            if not re.fullmatch(r"[A-Za-z_][\w.:-]{0,127}", declared.get("name", "")):
                return f"Invalid function name: {declared.get('name')!r}"
            if "parameters" in declared and "parametersJsonSchema" in declared:
                return "only one of parameters and parametersJsonSchema may be set"
    waiting: list[dict[str, Any]] = []
    last = None
    for content in body["contents"]:
        parts = content.get("parts") or []
        calls = [part for part in parts if "functionCall" in part]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if len(answers) != len(waiting):
            return (
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        for call, answer in zip(waiting, answers, strict=True):
            if not isinstance(answer.get("response"), dict):
                return "function_response.response: must be a Struct"
            if answer.get("name") != call["name"] or answer.get("id") != call.get("id"):
                return f"function response {answer.get('name')!r} answers no function call"
        if calls:
            if content.get("role") != "model" or last not in ("user", "answers"):
                return "function call turn must come immediately after a user turn or a function response turn"
            signed = calls[0].get("thoughtSignature", "")
            if base64.urlsafe_b64decode(signed.replace("+", "-").replace("/", "_")) != base64.b64decode(SIGNATURE):
                return "Function call is missing a thought_signature in functionCall parts"
        waiting = [part["functionCall"] for part in calls]
        last = "answers" if answers else content.get("role", "user")
    return "Please ensure that every function call has a function response." if waiting else None


def interactions_fault(body: Mapping[str, Any], held: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return what Gemini refuses in a request for an interaction. held: names of calls by id, by interaction."""
    for tool in body.get("tools", []):
        if tool.get("type") != "function" or not tool.get("name") or tool.get("parameters", {}).get("type") != "object":
            return "tools: no function"
    waiting = dict(held.get(body.get("previous_interaction_id") or "", {}))
    steps = body.get("input")
    for step in [] if isinstance(steps, str) else steps:
        match step.get("type"):
            case "function_call":
                if not isinstance(step.get("arguments"), dict):
                    return "function_call.arguments must be an object"
                waiting[step["id"]] = step["name"]
            case "function_result":
                name = waiting.pop(step.get("call_id"), None)
                if name is None or step.get("name", name) != name:
                    return f"function_result {step.get('call_id')!r} answers no function_call"
                if not isinstance(step.get("result"), str | dict | list):
                    return "function_result.result is required"
            case "user_input" | "model_output" | "thought":
                if waiting and step["type"] == "user_input":
                    break
            case other:
                return f"unknown step {other!r}"
    return f"function_call {', '.join(waiting)} has no function_result" if waiting else None


def _first(faults: Iterator[str | None]) -> str | None:
    return next((fault for fault in faults if fault), None)


# --- what models read --------------------------------------------------------------------------------------------

_FENCED = re.compile(r"<evidence (e\d+) ([0-9a-f]{16})>\n.*?\ntext:\n(.*?)\n</evidence \1 \2>", re.DOTALL)
_MARKED = re.compile(r"<evidence (e\d+) ([0-9a-f]{16})>\nCitation Marker: (\S+)\n.*?\n\n\[L1\] (.*?)\n", re.DOTALL)


def quoted(text: str) -> str:
    """Return the first sentence of a passage, as a model quotes it."""
    return re.split(r"(?<=[.!?])\s", text.strip())[0]


def read(outputs: Sequence[str]) -> str:
    """Return an answer to what tools put out as text: it quotes and cites the last passage."""
    for output in reversed(outputs):
        if marked := _MARKED.findall(output):
            _, _, marker, line = marked[-1]
            return f'A page says "{quoted(line)}" {marker}'
        if fenced := _FENCED.findall(output):
            name, _, text = fenced[-1]
            return f'A page says "{quoted(text)}" [{name}].'
    return "Nothing was found."


# --- the servers -------------------------------------------------------------------------------------------------


@dataclass
class Vendor:
    """A running server of all five APIs, and what it was asked."""

    rounds: Sequence[Calls]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """Requests as they arrived."""
    refused: list[str] = field(default_factory=list)
    """What was wrong with those that were refused."""
    held: dict[str, Any] = field(default_factory=dict)
    """Calls by the id of the response or interaction that made them."""
    depth: dict[str, int] = field(default_factory=dict)
    """Rounds that led to a response, by its id."""
    reasoned: dict[str, str] = field(default_factory=dict)
    made: int = 0
    url: str = ""

    def number(self) -> int:
        self.made += 1
        return self.made

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and answer."""
        self.bodies.append(body)
        for end, check, speak, refuse in _APIS:
            if re.search(end, path):
                try:
                    fault = check(self, body)
                except (KeyError, TypeError, AttributeError, IndexError) as error:
                    fault = f"the request cannot be read: {error!r}"
                if fault is not None:
                    self.refused.append(fault)
                    return 400, refuse(fault)
                return 200, speak(self, body)
        return 404, {"error": {"message": f"no {path}"}}

    def calls(self, done: int) -> Calls | None:
        return self.rounds[done] if done < len(self.rounds) else None


def _anthropic(vendor: Vendor, body: dict[str, Any]) -> dict[str, Any]:
    done = sum(any(block["type"] == "tool_use" for block in blocks) for _, blocks in _merged(body["messages"]))
    calls = vendor.calls(done)
    content: list[dict[str, Any]] = []
    for name, arguments in calls or ():
        content.append({"type": "tool_use", "id": f"toolu_{vendor.number()}", "name": name, "input": arguments})
    return {
        "id": f"msg_{vendor.number()}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content or _cites(body["messages"]),
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _cites(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return an answer that cites all passages of the last search result of a request, as its numbers are."""
    blocks = [block for _, of in _merged(messages) for block in of]
    nested = [block["content"] if block["type"] == "tool_result" else [block] for block in blocks]
    results = [one for inner in nested if isinstance(inner, list) for one in inner if one["type"] == "search_result"]
    if not results:
        return [{"type": "text", "text": "Nothing was found."}]
    texts = [part["text"] for part in results[-1]["content"]]
    location = {
        "type": "search_result_location",
        "source": results[-1]["source"],
        "title": results[-1]["title"],
        "cited_text": "".join(texts),
        "search_result_index": len(results) - 1,
        "start_block_index": 0,
        "end_block_index": len(texts),
    }
    said = f'"{quoted(texts[0])}"'
    return [{"type": "text", "text": "A page says "}, {"type": "text", "text": said, "citations": [location]}]


def _responses(vendor: Vendor, body: dict[str, Any]) -> dict[str, Any]:
    items = [{"role": "user"}] if isinstance(body["input"], str) else body["input"]
    previous = body.get("previous_response_id")
    kinds = [item.get("type") for item in items]
    done = vendor.depth.get(previous, 0) + kinds.count("reasoning")
    calls, id = vendor.calls(done), f"resp_{vendor.number()}"
    output: list[dict[str, Any]] = []
    if calls:
        reasoning = f"rs_{vendor.number()}"
        output.append({"type": "reasoning", "id": reasoning, "summary": []})
        for name, arguments in calls:
            number = vendor.number()
            call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
            output.append({**call, "arguments": json.dumps(arguments), "status": "completed"})
            vendor.reasoned[f"fc_{number}"] = reasoning
    else:
        text = {"type": "output_text", "text": read(_texts(items)), "annotations": []}
        message = {"type": "message", "id": f"msg_{vendor.number()}", "role": "assistant", "status": "completed"}
        output.append({**message, "content": [text]})
    vendor.held[id] = [item["call_id"] for item in output if item["type"] == "function_call"]
    vendor.depth[id] = done + bool(calls)
    return {
        "id": id,
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _chat(vendor: Vendor, body: dict[str, Any]) -> dict[str, Any]:
    messages = body["messages"]
    calls = vendor.calls(sum(bool(message.get("tool_calls")) for message in messages))
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{vendor.number()}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for name, arguments in calls
        ]
    else:
        message["content"] = read(_texts(messages))
    return {
        "id": f"chatcmpl-{vendor.number()}",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
    }


def _texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the texts of messages, items or steps that are not the model's own."""
    out = []
    for message in messages:
        content = message.get("output", message.get("content"))
        if message.get("role") != "assistant":
            out += [content] if isinstance(content, str) else [part["text"] for part in content or () if "text" in part]
    return out


def _object(told: Sequence[Any], texts: Sequence[str]) -> str:
    """Return an answer to what tools put out as objects, or to what a user gave as text."""
    given = [one["evidence"][-1] for one in told if isinstance(one, dict) and one.get("evidence")]
    return f'A page says "{quoted(given[-1]["text"])}" [{given[-1]["id"]}].' if given else read(texts)


def _gemini(vendor: Vendor, body: dict[str, Any]) -> dict[str, Any]:
    parts = [part for content in body["contents"] for part in content.get("parts", [])]
    turns = [content for content in body["contents"] if any("functionCall" in part for part in content["parts"])]
    said: list[dict[str, Any]] = []
    for name, arguments in vendor.calls(len(turns)) or ():
        said.append({"functionCall": {"id": f"fn{vendor.number()}", "name": name, "args": arguments}})
    if said:
        said[0]["thoughtSignature"] = SIGNATURE
    else:
        told = [part["functionResponse"]["response"].get("output") for part in parts if "functionResponse" in part]
        said = [{"text": _object(told, [part["text"] for part in parts if "text" in part])}]
    return {
        "candidates": [{"content": {"role": "model", "parts": said}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini-test",
        "responseId": f"r{vendor.number()}",
    }


def _interactions(vendor: Vendor, body: dict[str, Any]) -> dict[str, Any]:
    steps = [] if isinstance(body["input"], str) else body["input"]
    previous = body.get("previous_interaction_id")
    done = vendor.depth.get(previous or "", 0) + sum(step["type"] == "thought" for step in steps)
    calls, id = vendor.calls(done), f"int_{vendor.number()}"
    out: list[dict[str, Any]] = []
    if calls:
        out.append({"type": "thought", "signature": SIGNATURE})
        out += [
            {"type": "function_call", "id": f"fn{vendor.number()}", "name": name, "arguments": arguments}
            for name, arguments in calls
        ]
    else:
        told = [step["result"] for step in steps if step["type"] == "function_result"]
        text = _object(told, _texts(steps))
        out.append({"type": "model_output", "content": [{"type": "text", "text": text}]})
    vendor.held[id] = {step["id"]: step["name"] for step in out if step["type"] == "function_call"}
    vendor.depth[id] = done + bool(calls)
    status = "requires_action" if calls else "completed"
    return {"id": id, "object": "interaction", "model": body["model"], "status": status, "steps": out}


def _of_anthropic(fault: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": fault}, "request_id": "req_1"}


def _of_openai(fault: str) -> dict[str, Any]:
    return {"error": {"message": fault, "type": "invalid_request_error", "param": "input", "code": None}}


def _of_google(fault: str) -> dict[str, Any]:
    return {"error": {"code": 400, "message": fault, "status": "INVALID_ARGUMENT"}}


_APIS: Sequence[
    tuple[
        str,
        Callable[[Vendor, dict[str, Any]], str | None],
        Callable[[Vendor, dict[str, Any]], dict[str, Any]],
        Callable[[str], dict[str, Any]],
    ]
] = (
    (r"/v1/messages$", lambda _, body: anthropic_fault(body), _anthropic, _of_anthropic),
    (r"/responses$", lambda vendor, body: responses_fault(body, vendor.held, vendor.reasoned), _responses, _of_openai),
    (r"/chat/completions$", lambda _, body: chat_fault(body), _chat, _of_openai),
    (r"/models/[\w.-]+:generateContent$", lambda _, body: gemini_fault(body), _gemini, _of_google),
    (r"/interactions$", lambda vendor, body: interactions_fault(body, vendor.held), _interactions, _of_google),
)


@contextmanager
def speaking(rounds: Sequence[Calls] = ()) -> Iterator[Vendor]:
    """Serve all five APIs on loopback. rounds: which calls each answer makes, before the one that answers."""
    vendor = Vendor(rounds)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = vendor.answer(self.path.split("?")[0], body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    vendor.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield vendor
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
