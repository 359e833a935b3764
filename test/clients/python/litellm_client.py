"""Calls the gateway with litellm, under the prefix of each wire that both speak, and prints what it answered."""

import asyncio
import json
import os

# Its list of prices is in the package: it need not be fetched.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from pydantic import BaseModel

# Otherwise it prints advice among the answers.
litellm.suppress_debug_info = True

ORIGIN = os.environ["GATEWAY_ORIGIN"]
KEY = os.environ["GATEWAY_KEY"]
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HELLO = [{"role": "user", "content": "Hello there"}]
ASK = [{"role": "user", "content": 'weather {"city": "Oslo"}'}]
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
WIRES = {
    "openai": {"model": "openai/local/echo-1", "api_base": f"{ORIGIN}/api/v1"},
    "openrouter": {"model": "openrouter/local/echo-1", "api_base": f"{ORIGIN}/api/v1"},
    "anthropic": {"model": "anthropic/local/echo-1", "api_base": f"{ORIGIN}/api"},
}


class Place(BaseModel):
    city: str


def settings(wire, model=None):
    of_wire = WIRES[wire]
    name = of_wire["model"] if model is None else f"{wire}/{model}"
    return {**of_wire, "model": name, "api_key": KEY, "max_retries": 0}


def chat(wire):
    return litellm.completion(messages=HELLO, **settings(wire)).choices[0].message.content


def stream(wire):
    chunks = list(litellm.completion(messages=HELLO, stream=True, **settings(wire)))
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def tools(wire):
    message = litellm.completion(messages=ASK, tools=[TOOL], **settings(wire)).choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": "Rain"}
    answer = litellm.completion(messages=[*ASK, message, result], tools=[TOOL], **settings(wire))
    return [call.function.name, json.loads(call.function.arguments), answer.choices[0].message.content]


def structured(wire):
    answer = litellm.completion(messages=HELLO, response_format=Place, **settings(wire))
    return type(Place.model_validate_json(answer.choices[0].message.content)).__name__


def vision(wire):
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": PNG}}]
    answer = litellm.completion(messages=[{"role": "user", "content": parts}], **settings(wire))
    return answer.choices[0].message.content


async def in_async(wire):
    return (await litellm.acompletion(messages=HELLO, **settings(wire))).choices[0].message.content


def error(act):
    try:
        act()
    except Exception as thrown:
        return [type(thrown).__name__, getattr(thrown, "status_code", None)]


def errors(wire):
    stranger = {**settings(wire), "api_key": "sk-unknown"}
    return {
        "key": error(lambda: litellm.completion(messages=HELLO, **stranger)),
        "model": error(lambda: litellm.completion(messages=HELLO, **settings(wire, "no/such"))),
        "request": error(lambda: litellm.completion(messages=HELLO, temperature=9, **settings(wire))),
    }


def embedding():
    answer = litellm.embedding(input=["a", "b"], **settings("openai", "local/embed-1"))
    return len(answer.data)


def images():
    answer = litellm.image_generation(prompt="x", **settings("openai", "local/image-1"))
    return len(answer.data[0].b64_json) > 100


def speech():
    answer = litellm.speech(voice="alto", input="Hello", response_format="mp3", **settings("openai", "local/speech-1"))
    return len(answer.content) > 100


def responses():
    answer = litellm.responses(input="Hello there", **settings("openai"))
    return answer.output[0].content[0].text


def rerank():
    answer = litellm.rerank(
        model="cohere/local/rerank-1",
        api_base=f"{ORIGIN}/api",
        api_key=KEY,
        query="How high did the river rise?",
        documents=["The bridge was built in 1911.", "The river rose two meters."],
        top_n=1,
    )
    return [result["index"] for result in answer.results]


def run(feature, wire):
    answer = feature(wire)
    return asyncio.run(answer) if asyncio.iscoroutine(answer) else answer


CHATS = [chat, stream, tools, structured, vision, in_async, errors]
report = {wire: {feature.__name__: run(feature, wire) for feature in CHATS} for wire in WIRES}
OTHERS = [embedding, images, speech, responses, rerank]
print(json.dumps({**report, **{feature.__name__: feature() for feature in OTHERS}}))
