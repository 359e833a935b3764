"""Calls the gateway with langchain-openrouter and prints what it answered."""

import asyncio
import json
import os

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openrouter import ChatOpenRouter
from pydantic import BaseModel

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api/v1"
KEY = os.environ["GATEWAY_KEY"]
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MODEL = "local/echo-1"
ASK = 'weather {"city": "Oslo"}'


class Place(BaseModel):
    """A place."""

    city: str
    people: int


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"Rain in {city}"


def model(key=KEY, name=MODEL, **settings):
    return ChatOpenRouter(base_url=BASE, api_key=key, model=name, max_retries=0, **settings)


def chat():
    answer = model().invoke("Hello there")
    return [answer.content, answer.usage_metadata["output_tokens"] > 0]


def stream():
    return "".join(chunk.content for chunk in model().stream("Hello there"))


def tools():
    caller = model().bind_tools([weather])
    asked = HumanMessage(ASK)
    first = caller.invoke([asked])
    call = first.tool_calls[0]
    second = caller.invoke([asked, first, weather.invoke(call)])
    return [call["name"], call["args"], second.content]


def structured():
    return [
        type(model().with_structured_output(Place, method=method).invoke("Hello")).__name__
        for method in ("json_schema", "function_calling")
    ]


def vision():
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": PNG}}]
    return model().invoke([HumanMessage(parts)]).content


def preferences():
    caller = model(openrouter_provider={"order": ["local"], "allow_fallbacks": False})
    return caller.invoke("Hello there").content


def error(act):
    try:
        act()
    except Exception as thrown:
        return [type(thrown).__name__, getattr(thrown, "status_code", None)]


def errors():
    return {
        "key": error(lambda: model("sk-unknown").invoke("x")),
        "model": error(lambda: model(name="no/such").invoke("x")),
        "request": error(lambda: model(temperature=9).invoke("x")),
    }


async def in_async():
    text = "".join([chunk.content async for chunk in model().astream("Hello there")])
    return [(await model().ainvoke("Hello there")).content, text]


FEATURES = [chat, stream, tools, structured, vision, preferences, errors]
print(json.dumps({**{feature.__name__: feature() for feature in FEATURES}, "in_async": asyncio.run(in_async())}))
