"""A model that is none: answers the Anthropic, OpenAI (chat and responses) and Gemini interfaces on 127.0.0.1 and keeps
each request.

It says "ok N" unless the last text of a person holds a directive: ``[[usage N]]`` (say from now on that a request had N
tokens), ``[[once N]]`` (for one answer) or ``[[task TEXT]]`` (call the agent's sub-agent tool with TEXT as its prompt).
"""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SUBAGENT = ("Task", "Agent", "task", "agent", "spawn_agent", "invoke_agent")
GENERAL = {"task": "general", "invoke_agent": "generalist"}  # What each calls the one that can do anything.
USUAL = 1200


def texts(content):
    """All text of a message's content, as one string."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(texts(part) for part in content)
    if isinstance(content, dict):
        return texts(content.get("text", content.get("content", content.get("parts", ""))))
    return ""


def counted(value, marker):
    """How often ``marker`` is in the texts of a request."""
    if isinstance(value, dict):
        return sum(counted(inner, marker) for inner in value.values())
    if isinstance(value, list):
        return sum(counted(inner, marker) for inner in value)
    return value.count(marker) if isinstance(value, str) else 0


class Model:
    """``requests``: the body of each request of a conversation (one that offers tools), in order. ``port``: where it is."""

    def __init__(self):
        self.requests, self.number = [], 0
        self.usage, self.after, self.once = USUAL, None, set()
        self.lock = threading.Lock()
        model = self

        class Handler(_Handler):
            answers = model

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def heard(self, body):
        """Keep a request; returns its number."""
        with self.lock:
            self.number += 1
            if body.get("tools"):
                self.requests.append(body)
            return self.number

    def said(self, text):
        """Note what a person's text says of the usage."""
        if self.after is not None:
            self.usage, self.after = self.after, None
        found = re.search(r"\[\[(usage|once) (\d+)\]\]", text)
        if found and found.group(1) == "usage":
            self.usage = int(found.group(2))
        elif found and text not in self.once:
            self.once.add(text)
            self.after, self.usage = self.usage, int(found.group(2))


def last_said(messages):
    """The texts that came since the model said something or a tool gave its result: what a hook adds may be one of them."""
    said = []
    for role, text, result in reversed(messages):
        if role == "assistant" or result:
            break
        said.append(text)
    return said


def with_last_prompt(body, marker):
    """Whether ``marker`` came with the last prompt: behind all that the model ever said."""
    said = json.dumps(body.get("messages") or body.get("input") or body.get("contents"))
    answered = [found.start() for found in re.finditer(r'"ok \d+"', said)]
    return said.rfind(marker) > max(answered, default=-1)


def sub_agent(messages, tools):
    """(name, input) of the sub-agent call that the person's last text asks for, or None. ``messages``: [(role, text,
    whether it is a tool's result)]."""
    found = re.search(r"\[\[task (.*?)\]\]", "\n".join(last_said(messages)), re.S)
    by_name = {tool.get("name") or tool.get("function", {}).get("name"): tool for tool in tools}
    name = next((name for name in SUBAGENT if name in by_name), None)
    if not found or name is None:
        return None
    tool = by_name[name]
    schema = tool.get("input_schema") or tool.get("parameters") or tool.get("parametersJsonSchema") or {}
    schema = schema or tool.get("function", {}).get("parameters") or {}
    given = {}
    for key, kind in schema.get("properties", {}).items():
        if key in ("subagent_type", "agent_type", "agent_name"):
            given[key] = (kind.get("enum") or [GENERAL.get(name, "general-purpose")])[0]
        elif key in ("prompt", "message"):
            given[key] = found.group(1)
        elif key in schema.get("required", ()):
            given[key] = (kind.get("enum") or [{"boolean": False, "number": 1, "integer": 1}.get(kind.get("type"), "do it")])[0]
    return name, given


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers = None

    def log_message(self, *args):
        pass

    def reply(self, value, kind="application/json"):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def events(self, pairs):
        out = b""
        for name, value in pairs:
            out += (f"event: {name}\n" if name else "").encode()
            out += f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()
        self.reply(out, "text/event-stream")

    def do_GET(self):
        one = {"id": "fake-model", "object": "model", "type": "model", "display_name": "Fake", "created": 1, "owned_by": "fake"}
        self.reply({"object": "list", "data": [one], "models": [], "has_more": False})

    def do_HEAD(self):
        self.reply(b"")

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        raw = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            raw += self.rfile.read(size)
            self.rfile.readline()
            if not size:
                return raw

    def do_POST(self):
        try:
            body = json.loads(self.body())
        except ValueError:
            body = None
        path = self.path.split("?")[0]
        if not isinstance(body, dict):
            self.reply({})
        elif path.endswith("/count_tokens"):
            self.reply({"input_tokens": self.answers.usage})
        elif path.endswith(":countTokens"):
            self.reply({"totalTokens": self.answers.usage})
        elif path.endswith("/messages"):
            self.anthropic(body)
        elif path.endswith("/chat/completions"):
            self.chat(body)
        elif path.endswith("/responses"):
            self.respond(body)
        elif "enerateContent" in path:
            self.gemini(body, "stream" in path)
        else:
            self.reply({})

    def heard(self, body, messages, tools):
        """(number, usage, sub-agent call or None) for a request."""
        number = self.answers.heard(body)
        if messages and messages[-1][2]:
            time.sleep(2)  # The sub-agent may be at work; some agents end with their own last word.
        if tools:
            self.answers.said("\n".join(last_said(messages)))
        return number, self.answers.usage, sub_agent(messages, tools) if tools else None

    def anthropic(self, body):
        messages = []
        for message in body.get("messages", []):
            parts = message.get("content") if isinstance(message.get("content"), list) else [{"type": "text", "text": message["content"]}]
            messages.append((message["role"], texts([part for part in parts if part.get("type") == "text"]),
                             any(part.get("type") == "tool_result" for part in parts)))
        number, tokens, call = self.heard(body, messages, body.get("tools") or [])
        usage = {"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
        block, stop = {"type": "text", "text": f"ok {number}"}, "end_turn"
        if call:
            block, stop = {"type": "tool_use", "id": f"toolu_{number:024d}", "name": call[0], "input": call[1]}, "tool_use"
        head = {"id": f"msg_{number:024d}", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
                "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            self.reply({**head, "content": [block], "stop_reason": stop})
            return
        start = {**block, "input": {}} if call else {"type": "text", "text": ""}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])} if call else {
            "type": "text_delta", "text": block["text"]}
        out = [{"type": "message_start", "message": head},
               {"type": "content_block_start", "index": 0, "content_block": start},
               {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
               {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
               {"type": "message_stop"}]
        self.events([(value["type"], value) for value in out])

    def chat(self, body):
        messages = [(m.get("role"), texts(m.get("content") or ""), m.get("role") == "tool") for m in body.get("messages") or []]
        number, tokens, call = self.heard(body, messages, body.get("tools") or [])
        usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
        base = {"id": f"chatcmpl-{number}", "created": int(time.time()), "model": body.get("model", "fake")}
        message, stop = {"role": "assistant", "content": f"ok {number}"}, "stop"
        if call:
            message, stop = {"role": "assistant", "content": None, "tool_calls": [{
                "index": 0, "id": f"call_{number}", "type": "function",
                "function": {"name": call[0], "arguments": json.dumps(call[1])}}]}, "tool_calls"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": stop}
            self.reply({**base, "object": "chat.completion", "usage": usage, "choices": [choice]})
            return
        base["object"] = "chat.completion.chunk"
        self.events([("", {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
                     ("", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage}),
                     ("", "[DONE]")])

    def respond(self, body):
        items = body.get("input") or []
        items = [{"role": "user", "content": items}] if isinstance(items, str) else items
        messages = []
        for item in items:
            kind = item.get("type", "message")
            if kind.endswith("_output"):
                messages.append(("user", "", True))
            elif kind.endswith("_call"):
                messages.append(("assistant", "", False))
            elif kind == "message":
                messages.append((item.get("role"), texts(item.get("content", "")), False))
        tools = body.get("tools") or []
        inner = {tool["name"]: space.get("name") for space in tools for tool in space.get("tools", [])}
        number, tokens, call = self.heard(body, messages, tools + [tool for space in tools for tool in space.get("tools", [])])
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": f"ok {number}", "annotations": []}]}
        if call:
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": call[0],
                    **({"namespace": inner[call[0]]} if call[0] in inner else {}),
                    "arguments": json.dumps(call[1]), "status": "completed"}
        usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 5}
        whole = {"id": f"resp_{number:020d}", "object": "response", "created_at": int(time.time()), "status": "completed",
                 "model": body.get("model"), "output": [item], "usage": usage, "error": None}
        if not body.get("stream"):
            self.reply(whole)
            return
        begun = {**item, "status": "in_progress", **({} if call else {"content": []})}
        out = [{"type": "response.created", "sequence_number": 0, "response": {**whole, "status": "in_progress", "output": []}},
               {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": begun},
               {"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item},
               {"type": "response.completed", "sequence_number": 3, "response": whole}]
        self.events([(value["type"], value) for value in out])

    def gemini(self, body, stream):
        messages = []
        for message in body.get("contents") or []:
            parts = message.get("parts") or []
            role = "assistant" if message.get("role") == "model" else message.get("role")
            messages.append((role, texts([{"text": part["text"]} for part in parts if "text" in part]),
                             any("functionResponse" in part for part in parts)))
        tools = [tool for space in body.get("tools") or [] for tool in space.get("functionDeclarations", [])]
        number, tokens, call = self.heard(body, messages, tools)
        part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": f"ok {number}"}
        if (body.get("generationConfig") or {}).get("responseMimeType") == "application/json":
            part = {"text": json.dumps({"reasoning": "ok", "next_speaker": "user", "model_choice": "flash",
                                        "complexity_reasoning": "x", "complexity_score": 1})}
        value = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                 "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5},
                 "modelVersion": "fake"}
        if stream:
            self.events([("", value)])
        else:
            self.reply(value)
