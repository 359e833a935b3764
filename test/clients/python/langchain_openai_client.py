"""Calls the gateway with langchain-openai and prints what it answered."""

import os

import openai
from langchain_features import print_features, round_of_tools
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api/v1"
KEY = os.environ["GATEWAY_KEY"]


def model(key=KEY, name="local/echo-1", **settings):
    return ChatOpenAI(base_url=BASE, api_key=key, model=name, max_retries=0, **settings)


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


print_features(model, error, [responses, streamed_responses, responses_tools, embeddings])
