"""Calls the gateway with langchain-openai and prints what it answered."""

import asyncio
import json
import os

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
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
    return ChatOpenAI(base_url=BASE, api_key=key, model=name, max_retries=0, **settings)


def chat():
    answer = model().invoke("Hello there")
    return [answer.content, answer.usage_metadata["output_tokens"] > 0]


def stream():
    return "".join(chunk.content for chunk in model().stream("Hello there"))


def round_of_tools(caller):
    caller = caller.bind_tools([weather])
    asked = HumanMessage(ASK)
    first = caller.invoke([asked])
    call = first.tool_calls[0]
    result = weather.invoke(call)
    assert isinstance(result, ToolMessage)
    second = caller.invoke([asked, first, result])
    return [call["name"], call["args"], second.text]


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


def responses():
    return model(use_responses_api=True).invoke("Hello there").text


def streamed_responses():
    return "".join(chunk.text for chunk in model(use_responses_api=True).stream("Hello there"))


def responses_tools():
    return round_of_tools(model(use_responses_api=True))


def embeddings():
    # Without the setting, it sends token ids of OpenAI's own tokenizer, which it would have to download.
    embedder = OpenAIEmbeddings(
        base_url=BASE, api_key=KEY, model="local/embed-1", dimensions=8, check_embedding_ctx_length=False
    )
    return [len(vector) for vector in embedder.embed_documents(["a", "b"])]


def error(act):
    try:
        act()
    except openai.APIStatusError as thrown:
        # Its exceptions are OpenAI's, some of them with a class of its own below.
        kind = next(kind for kind in type(thrown).__mro__ if kind.__module__.startswith("openai"))
        return [kind.__name__, thrown.status_code]


def errors():
    return {
        "key": error(lambda: model("sk-unknown").invoke("x")),
        "model": error(lambda: model(name="no/such").invoke("x")),
        "request": error(lambda: model(temperature=9).invoke("x")),
    }


async def in_async():
    text = "".join([chunk.content async for chunk in model().astream("Hello there")])
    return [(await model().ainvoke("Hello there")).content, text]


FEATURES = [
    chat,
    stream,
    tools,
    structured,
    vision,
    responses,
    streamed_responses,
    responses_tools,
    embeddings,
    errors,
]
print(json.dumps({**{feature.__name__: feature() for feature in FEATURES}, "in_async": asyncio.run(in_async())}))
