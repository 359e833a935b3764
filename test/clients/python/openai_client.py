"""Calls the gateway with OpenAI's own client and prints what it answered."""

import asyncio
import json
import os

import openai
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api/v1"
KEY = os.environ["GATEWAY_KEY"]
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MODEL = "local/echo-1"
HELLO = [{"role": "user", "content": "Hello there"}]
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
ASK = 'weather {"city": "Oslo"}'
CHAT_TOOL = {"type": "function", "function": {"name": "weather", "parameters": WEATHER, "strict": True}}
RESPONSES_TOOL = {"type": "function", "name": "weather", "parameters": WEATHER, "strict": True}

client = OpenAI(base_url=BASE, api_key=KEY, max_retries=0)


class Place(BaseModel):
    city: str
    people: int


def chat():
    return client.chat.completions.create(model=MODEL, messages=HELLO).choices[0].message.content


def stream():
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(model=MODEL, messages=HELLO, stream=True, stream_options=options))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return [text, chunks[-1].usage.completion_tokens > 0]


def completions():
    answer = client.completions.create(model=MODEL, prompt="Hello there")
    events = client.completions.create(model=MODEL, prompt="Hello there", stream=True)
    return [answer.choices[0].text, "".join(event.choices[0].text for event in events if event.choices)]


def tools():
    messages = [{"role": "user", "content": ASK}]
    message = client.chat.completions.create(model=MODEL, messages=messages, tools=[CHAT_TOOL]).choices[0].message
    call = message.tool_calls[0]
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "Rain"}]
    answer = client.chat.completions.create(model=MODEL, messages=messages, tools=[CHAT_TOOL])
    return [call.function.name, json.loads(call.function.arguments), answer.choices[0].message.content]


def streamed_tools():
    messages = [{"role": "user", "content": ASK}]
    with client.chat.completions.stream(model=MODEL, messages=messages, tools=[CHAT_TOOL]) as events:
        call = events.get_final_completion().choices[0].message.tool_calls[0]
    return [call.function.name, call.function.parsed_arguments]


def structured():
    answer = client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=Place)
    return type(answer.choices[0].message.parsed).__name__


def vision():
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": PNG}}]
    answer = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": parts}])
    return answer.choices[0].message.content


def embeddings():
    # The client asks for base64 and decodes it.
    answer = client.embeddings.create(model="local/embed-1", input=["a", "b"], dimensions=8)
    return [len(one.embedding) for one in answer.data]


def images():
    answer = client.images.generate(model="local/image-1", prompt="A lighthouse", size="1024x1024")
    return len(answer.data[0].b64_json) > 100


def speech():
    with client.audio.speech.with_streaming_response.create(
        model="local/speech-1", voice="alto", input="Hello", response_format="mp3"
    ) as answer:
        return [answer.headers["content-type"], len(answer.read()) > 100]


def responses():
    return client.responses.create(model=MODEL, input="Hello there").output_text


def streamed_responses():
    with client.responses.stream(model=MODEL, input="Hello there") as events:
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        return [text, events.get_final_response().status]


def responses_tools():
    asked = [{"role": "user", "content": ASK}]
    first = client.responses.create(model=MODEL, input=asked, tools=[RESPONSES_TOOL])
    call = first.output[0]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Rain"}
    second = client.responses.create(model=MODEL, input=[*asked, *first.output, result], tools=[RESPONSES_TOOL])
    return [call.name, second.output_text]


def responses_structured():
    return type(client.responses.parse(model=MODEL, input="Hello", text_format=Place).output_parsed).__name__


def models():
    return [MODEL in [model.id for model in client.models.list()], client.models.retrieve(MODEL).owned_by]


def error(act):
    try:
        act()
    except openai.APIStatusError as thrown:
        return [type(thrown).__name__, thrown.status_code, thrown.request_id is not None]


def errors():
    stranger = OpenAI(base_url=BASE, api_key="sk-unknown", max_retries=0)
    return {
        "key": error(lambda: stranger.chat.completions.create(model=MODEL, messages=HELLO)),
        "model": error(lambda: client.chat.completions.create(model="no/such", messages=HELLO)),
        "request": error(lambda: client.chat.completions.create(model=MODEL, messages=[])),
        "transcription": error(lambda: client.audio.transcriptions.create(model="x", file=("a.wav", b"RIFF"))),
    }


async def in_async():
    async with AsyncOpenAI(base_url=BASE, api_key=KEY, max_retries=0) as caller:
        answer = await caller.chat.completions.create(model=MODEL, messages=HELLO)
        events = await caller.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in events if chunk.choices])
        response = await caller.responses.create(model=MODEL, input="Hello there")
        ids = [model.id async for model in caller.models.list()]
    return [answer.choices[0].message.content, text, response.output_text, MODEL in ids]


FEATURES = [
    chat,
    stream,
    completions,
    tools,
    streamed_tools,
    structured,
    vision,
    embeddings,
    images,
    speech,
    responses,
    streamed_responses,
    responses_tools,
    responses_structured,
    models,
    errors,
]
print(json.dumps({**{feature.__name__: feature() for feature in FEATURES}, "in_async": asyncio.run(in_async())}))
