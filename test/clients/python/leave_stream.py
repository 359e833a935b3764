"""Leaves a stream of the gateway after its first piece, with the client that CLIENT names."""

import os
import sys

ORIGIN = os.environ["GATEWAY_ORIGIN"]
BASE = f"{ORIGIN}/api/v1"
KEY = os.environ["GATEWAY_KEY"]
MODEL = "local/echo-1"
HELLO = [{"role": "user", "content": "Hello there"}]


def openai():
    from openai import OpenAI

    client = OpenAI(base_url=BASE, api_key=KEY, max_retries=0)
    with client.chat.completions.create(model=MODEL, messages=HELLO, stream=True) as events:
        next(iter(events))


def anthropic():
    from anthropic import Anthropic

    client = Anthropic(base_url=f"{ORIGIN}/api", api_key=KEY, max_retries=0)
    with client.messages.stream(model=MODEL, max_tokens=99, messages=HELLO) as events:
        next(iter(events.text_stream))


def openrouter():
    from openrouter import OpenRouter

    with OpenRouter(api_key=KEY, server_url=BASE).chat.send(model=MODEL, messages=HELLO, stream=True) as events:
        next(iter(events))


def langchain_openai():
    from langchain_openai import ChatOpenAI

    pieces = ChatOpenAI(base_url=BASE, api_key=KEY, model=MODEL, max_retries=0).stream("Hello there")
    next(pieces)
    pieces.close()


def langchain_openrouter():
    from langchain_openrouter import ChatOpenRouter

    pieces = ChatOpenRouter(base_url=BASE, api_key=KEY, model=MODEL, max_retries=0).stream("Hello there")
    next(pieces)
    pieces.close()


def litellm():
    # Its list of prices is in the package: it need not be fetched.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm as client

    chunks = client.completion(model=f"openai/{MODEL}", api_base=BASE, api_key=KEY, messages=HELLO, stream=True)
    next(chunks)
    chunks.completion_stream.close()


globals()[os.environ["CLIENT"]]()
print("left", flush=True)
# The process stays, so that its end cannot be what closes the connection.
sys.stdin.read()
