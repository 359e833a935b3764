"""Calls the gateway with the published client in all that it generates, and prints what it answered."""

import asyncio
import json
import os

from openrouter import OpenRouter, errors as openrouter_errors
from pydantic import BaseModel

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api/v1"
KEY = os.environ["GATEWAY_KEY"]
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MODEL = "local/echo-1"
HELLO = [{"role": "user", "content": "Hello there"}]
ASK = {"role": "user", "content": 'weather {"city": "Oslo"}'}
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT_TOOL = {"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}
RESPONSES_TOOL = {"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": False}

client = OpenRouter(api_key=KEY, server_url=BASE)


class Place(BaseModel):
    city: str


def chat():
    return client.chat.send(model=MODEL, messages=HELLO).choices[0].message.content


def stream():
    with client.chat.send(model=MODEL, messages=HELLO, stream=True) as events:
        return "".join(event.choices[0].delta.content or "" for event in events if event.choices)


def tools():
    message = client.chat.send(model=MODEL, messages=[ASK], tools=[CHAT_TOOL]).choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": "Rain"}
    answer = client.chat.send(model=MODEL, messages=[ASK, message, result], tools=[CHAT_TOOL])
    return [call.function.name, json.loads(call.function.arguments), answer.choices[0].message.content]


def structured():
    schema = {"type": "json_schema", "json_schema": {"name": "place", "schema": Place.model_json_schema()}}
    answer = client.chat.send(model=MODEL, messages=HELLO, response_format=schema)
    return type(Place.model_validate_json(answer.choices[0].message.content)).__name__


def vision():
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": PNG}}]
    answer = client.chat.send(model=MODEL, messages=[{"role": "user", "content": parts}])
    return answer.choices[0].message.content


def embeddings():
    answer = client.embeddings.generate(model="local/embed-1", input=["a", "b"], dimensions=8)
    return [len(one.embedding) for one in answer.data]


def images():
    answer = client.images.generate(model="local/image-1", prompt="A lighthouse")
    return len(answer.data[0].b64_json) > 100


def speech():
    answer = client.tts.create_speech(model="local/speech-1", voice="alto", input="Hello", response_format="mp3")
    return [answer.headers["content-type"], len(answer.read()) > 100]


def rerank():
    documents = ["The bridge was built in 1911.", "The river rose two meters."]
    answer = client.rerank.rerank(model="local/rerank-1", query="How high did the river rise?", documents=documents)
    return [result.index for result in answer.results]


def responses():
    return client.responses.send(model=MODEL, input="Hello there").output[0].content[0].text


def streamed_responses():
    with client.responses.send(model=MODEL, input="Hello there", stream=True) as events:
        return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def responses_tools():
    first = client.responses.send(model=MODEL, input=[ASK], tools=[RESPONSES_TOOL])
    call = first.output[0]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Rain"}
    # The client takes its own answers as dictionaries only.
    history = [ASK, call.model_dump(by_alias=True), result]
    second = client.responses.send(model=MODEL, input=history, tools=[RESPONSES_TOOL])
    return [call.name, second.output[0].content[0].text]


def error(act):
    try:
        act()
    except openrouter_errors.OpenRouterError as thrown:
        return [type(thrown).__name__, thrown.status_code]


def errors():
    stranger = OpenRouter(api_key="sk-unknown", server_url=BASE)
    return {
        "key": error(lambda: stranger.chat.send(model=MODEL, messages=HELLO)),
        "model": error(lambda: client.chat.send(model="no/such", messages=HELLO)),
        "request": error(lambda: client.chat.send(model=MODEL, messages=HELLO, temperature=9)),
    }


async def in_async():
    async with OpenRouter(api_key=KEY, server_url=BASE) as caller:
        answer = await caller.chat.send_async(model=MODEL, messages=HELLO)
        events = await caller.chat.send_async(model=MODEL, messages=HELLO, stream=True)
        text = "".join([event.choices[0].delta.content or "" async for event in events if event.choices])
    return [answer.choices[0].message.content, text]


FEATURES = [
    chat,
    stream,
    tools,
    structured,
    vision,
    embeddings,
    images,
    speech,
    rerank,
    responses,
    streamed_responses,
    responses_tools,
    errors,
]
print(json.dumps({**{feature.__name__: feature() for feature in FEATURES}, "in_async": asyncio.run(in_async())}))
