"""Calls the gateway with Anthropic's own client and prints what it answered."""

import asyncio
import json
import os

import anthropic
from anthropic import Anthropic, AsyncAnthropic
from pydantic import BaseModel

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api"
KEY = os.environ["GATEWAY_KEY"]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ASK = 'weather {"city": "Oslo"}'
TOOL = {
    "name": "weather",
    "description": "Tells the weather.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
COMMON = {"model": "local/echo-1", "max_tokens": 200}

client = Anthropic(base_url=BASE, api_key=KEY, max_retries=0)


class Place(BaseModel):
    city: str


def said(text):
    return [{"role": "user", "content": text}]


def messages():
    answer = client.messages.create(**COMMON, system="Be brief.", messages=said("Hello there"))
    return [answer.content[0].text, answer.stop_reason, answer.usage.output_tokens > 0]


def bearer():
    caller = Anthropic(base_url=BASE, auth_token=KEY, max_retries=0)
    return caller.messages.create(**COMMON, messages=said("Hello there")).content[0].text


def stream():
    with client.messages.stream(**COMMON, messages=said("Hello there")) as events:
        text = "".join(events.text_stream)
        return [text, events.get_final_message().stop_reason]


def tools():
    asked = said(ASK)
    first = client.messages.create(**COMMON, messages=asked, tools=[TOOL])
    call = next(block for block in first.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "Rain"}
    history = [*asked, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(**COMMON, messages=history, tools=[TOOL])
    return [first.stop_reason, call.name, call.input, second.content[0].text]


def streamed_tools():
    with client.messages.stream(**COMMON, messages=said(ASK), tools=[TOOL]) as events:
        call = events.get_final_message().content[-1]
    return [call.name, call.input]


def structured():
    answer = client.messages.parse(**COMMON, messages=said("Hello"), output_format=Place)
    return type(answer.parsed_output).__name__


def vision():
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    parts = [{"type": "text", "text": "See"}, {"type": "image", "source": source}]
    return client.messages.create(**COMMON, messages=said(parts)).content[0].text


def count_tokens():
    return client.messages.count_tokens(model=COMMON["model"], messages=said("Hello there")).input_tokens > 0


def models():
    return "local/echo-1" in [model.id for model in client.models.list()]


def error(act):
    try:
        act()
    except anthropic.APIStatusError as thrown:
        return [type(thrown).__name__, thrown.status_code, thrown.body["error"]["type"], thrown.request_id is not None]


def errors():
    stranger = Anthropic(base_url=BASE, api_key="sk-unknown", max_retries=0)
    return {
        "key": error(lambda: stranger.messages.create(**COMMON, messages=said("x"))),
        "model": error(lambda: client.messages.create(**{**COMMON, "model": "no/such"}, messages=said("x"))),
        "request": error(lambda: client.messages.create(**{**COMMON, "max_tokens": 0}, messages=said("x"))),
    }


async def in_async():
    async with AsyncAnthropic(base_url=BASE, api_key=KEY, max_retries=0) as caller:
        answer = await caller.messages.create(**COMMON, messages=said("Hello there"))
        async with caller.messages.stream(**COMMON, messages=said("Hello there")) as events:
            text = "".join([piece async for piece in events.text_stream])
    return [answer.content[0].text, text]


FEATURES = [messages, bearer, stream, tools, streamed_tools, structured, vision, count_tokens, models, errors]
print(json.dumps({**{feature.__name__: feature() for feature in FEATURES}, "in_async": asyncio.run(in_async())}))
