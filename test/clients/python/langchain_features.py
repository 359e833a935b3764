"""Calls the gateway with a chat model of LangChain, and prints what it answered by feature."""

import asyncio
import json

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ASK = 'weather {"city": "Oslo"}'


class Place(BaseModel):
    """A place."""

    city: str
    people: int


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"Rain in {city}"


def round_of_tools(caller):
    caller = caller.bind_tools([weather])
    asked = HumanMessage(ASK)
    first = caller.invoke([asked])
    call = first.tool_calls[0]
    result = weather.invoke(call)
    assert isinstance(result, ToolMessage)
    second = caller.invoke([asked, first, result])
    return [call["name"], call["args"], second.text]


def print_features(model, error, own_features):
    """Prints the features that all chat models have, and those of one client.

    `model` makes a chat model, and `error` says what an act raised.
    """

    def chat():
        answer = model().invoke("Hello there")
        return [answer.content, answer.usage_metadata["output_tokens"] > 0]

    def stream():
        return "".join(chunk.content for chunk in model().stream("Hello there"))

    def tools():
        return round_of_tools(model())

    def structured():
        return [
            type(model().with_structured_output(Place, method=method).invoke("Hello")).__name__
            for method in ("json_schema", "function_calling")
        ]

    def vision():
        parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": PNG}}]
        return model().invoke([HumanMessage(parts)]).content

    def errors():
        return {
            "key": error(lambda: model("sk-unknown").invoke("x")),
            "model": error(lambda: model(name="no/such").invoke("x")),
            "request": error(lambda: model(temperature=9).invoke("x")),
        }

    async def in_async():
        text = "".join([chunk.content async for chunk in model().astream("Hello there")])
        return [(await model().ainvoke("Hello there")).content, text]

    features = [chat, stream, tools, structured, vision, *own_features, errors]
    printed = {feature.__name__: feature() for feature in features}
    print(json.dumps({**printed, "in_async": asyncio.run(in_async())}))
