"""Reads the simulator's streams with the providers' own SDKs, so that the simulator cannot become a dialect of ours.

Takes the path of the program `model-simulator`. Compares what an SDK makes of each stream with the scenario it was made from.
"""

import json
import pathlib
import subprocess
import sys

import anthropic
import openai

SCENARIOS = pathlib.Path(__file__).parent.parent / "scenarios"
GOOD = ["text", "tools", "reasoning", "length", "noisy"]
ALL = [*GOOD, "refusal", "limited", "broken"]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = ["get_weather", "ping", "write"]


def scenario(name):
    return json.loads((SCENARIOS / f"{name}.json").read_text())["rounds"][0]["reply"]


def said(name):
    """What the scenario says, in the words of no provider: texts, calls, proofs."""
    reply = scenario(name)
    cut = reply.get("stop") == "length"
    out = {"text": "", "calls": [], "proofs": []}
    for block in reply["blocks"]:
        if "text" in block:
            out["text"] += block["text"]
        if "toolCall" in block and not cut:
            call = block["toolCall"]
            out["calls"].append((call["id"], call["name"], call.get("arguments") or {}))
        if "reasoning" in block:
            out["proofs"].append(block["reasoning"]["proof"])
    return out


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: the SDK reads {found!r}, the scenario says {expected!r}")


def raises(what, kind, work):
    try:
        work()
    except kind:
        return
    raise AssertionError(f"{what}: the SDK did not raise {kind.__name__}")


def arguments(text):
    return json.loads(text) if text else {}


def check_anthropic(urls):
    def message(name):
        client = anthropic.Anthropic(base_url=urls[f"anthropic/{name}"], api_key="k", max_retries=0)
        tools = [{"name": tool, "description": tool, "input_schema": SCHEMA} for tool in TOOLS]
        question = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
        with client.messages.stream(model="claude-opus-5-5", max_tokens=900, messages=[question], tools=tools) as stream:
            pieces = "".join(stream.text_stream)
            return pieces, stream.get_final_message()

    for name in GOOD:
        pieces, final = message(name)
        expected = said(name)
        found = {
            "text": "".join(block.text for block in final.content if block.type == "text"),
            "calls": [(block.id, block.name, block.input) for block in final.content if block.type == "tool_use"],
            "proofs": [block.signature for block in final.content if block.type == "thinking"],
        }
        if name == "length":
            found["calls"] = []
        equal(f"anthropic/{name}", found, expected)
        equal(f"anthropic/{name} pieces", pieces, expected["text"])
        reason = {"tools": "tool_use", "length": "max_tokens"}.get(name, "end_turn")
        equal(f"anthropic/{name} stop", final.stop_reason, reason)
        used = final.usage
        total = used.input_tokens + used.cache_creation_input_tokens + used.cache_read_input_tokens
        equal(f"anthropic/{name} usage", (total, used.output_tokens), (1000, 50))
    equal("anthropic/refusal", message("refusal")[1].stop_reason, "refusal")
    raises("anthropic/limited", anthropic.RateLimitError, lambda: message("limited"))
    raises("anthropic/broken", anthropic.APIStatusError, lambda: message("broken"))


def check_responses(provider, urls):
    def response(name):
        client = openai.OpenAI(base_url=urls[f"{provider}/{name}"], api_key="k", max_retries=0)
        tools = [{"type": "function", "name": tool, "parameters": SCHEMA, "strict": False} for tool in TOOLS]
        question = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
        stream = client.responses.create(model="gpt-6-sol", input=[question], tools=tools, store=False, stream=True)
        pieces, deltas, final = "", {}, None
        for event in stream:
            if event.type in ("error", "response.failed"):
                return pieces, deltas, event
            if event.type == "response.output_text.delta":
                pieces += event.delta
            if event.type == "response.function_call_arguments.delta":
                deltas[event.output_index] = deltas.get(event.output_index, "") + event.delta
            if event.type in ("response.completed", "response.incomplete"):
                final = event.response
        return pieces, deltas, final

    for name in GOOD:
        pieces, deltas, final = response(name)
        expected = said(name)
        calls = [(item.call_id, item.name, item.arguments) for item in final.output if item.type == "function_call"]
        if name == "length":
            calls = []
        else:
            equal(f"{provider}/{name} deltas", [text for text in deltas.values() if text], [text for _, _, text in calls if text])
        found = {
            "text": final.output_text,
            "calls": [(call, tool, arguments(text)) for call, tool, text in calls],
            "proofs": [item.encrypted_content for item in final.output if item.type == "reasoning"],
        }
        equal(f"{provider}/{name}", found, expected)
        equal(f"{provider}/{name} pieces", pieces, expected["text"])
        status = "incomplete" if name == "length" else "completed"
        equal(f"{provider}/{name} status", final.status, status)
        equal(f"{provider}/{name} usage", (final.usage.input_tokens, final.usage.output_tokens), (1000, 50))
        equal(f"{provider}/{name} cached", final.usage.input_tokens_details.cached_tokens, 600)
    refusal = response("refusal")[2].output[0].content[0]
    equal(f"{provider}/refusal", refusal.type, "refusal")
    raises(f"{provider}/limited", openai.RateLimitError, lambda: response("limited"))
    kind = "error" if provider == "openai" else "response.failed"
    equal(f"{provider}/broken", response("broken")[2].type, kind)


def check_chat(provider, urls):
    def completion(name):
        client = openai.OpenAI(base_url=urls[f"{provider}/{name}"] + ("/v1" if provider == "ollama" else ""), api_key="k", max_retries=0)
        tools = [{"type": "function", "function": {"name": tool, "parameters": SCHEMA}} for tool in TOOLS]
        chunks = client.chat.completions.create(
            model="qwen3",
            messages=[{"role": "user", "content": "hi"}],
            tools=tools,
            stream=True,
            stream_options={"include_usage": True},
        )
        text, calls, reason, usage = "", {}, None, None
        for chunk in chunks:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                reason = choice.finish_reason or reason
                for piece in choice.delta.tool_calls or []:
                    call = calls.setdefault(piece.index, {"id": None, "name": None, "arguments": ""})
                    call["id"] = piece.id or call["id"]
                    call["name"] = piece.function.name or call["name"]
                    call["arguments"] += piece.function.arguments or ""
        return text, list(calls.values()), reason, usage

    for name in GOOD:
        text, calls, reason, usage = completion(name)
        expected = said(name)
        found = [(call["id"], call["name"], arguments(call["arguments"])) for call in calls] if name != "length" else []
        equal(f"{provider}/{name}", (text, found), (expected["text"], expected["calls"]))
        equal(f"{provider}/{name} stop", reason, {"tools": "tool_calls", "length": "length"}.get(name, "stop"))
        equal(f"{provider}/{name} usage", (usage.prompt_tokens, usage.completion_tokens), (1000, 50))
    equal(f"{provider}/refusal", completion("refusal")[2], "content_filter")
    raises(f"{provider}/limited", openai.RateLimitError, lambda: completion("limited"))
    if provider == "venice":
        raises(f"{provider}/broken", openai.APIError, lambda: completion("broken"))


def main():
    providers = ["anthropic", "openai", "openrouter", "ollama", "venice"]
    played = [f"{provider}/{name}" for provider in providers for name in ALL]
    simulator = subprocess.Popen([sys.argv[1], *played], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    urls = json.loads(simulator.stdout.readline())
    check_anthropic(urls)
    check_responses("openai", urls)
    check_responses("openrouter", urls)
    check_chat("ollama", urls)
    check_chat("venice", urls)
    simulator.stdin.close()
    equal("refused requests", simulator.wait(), 0)
    print(f"{len(played)} streams read by anthropic {anthropic.__version__} and openai {openai.__version__}")


main()
