"""Ranks documents with Cohere's own client and prints what it was answered."""

import asyncio
import json
import os

import cohere
from cohere.core import ApiError

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api"
KEY = os.environ["GATEWAY_KEY"]
RANKED = {
    "model": "local/rerank-1",
    "query": "How high did the river rise?",
    "documents": ["The bridge was built in 1911.", "The river rose two meters."],
}

client = cohere.ClientV2(api_key=KEY, base_url=BASE)


def rerank():
    answer = client.rerank(**RANKED, top_n=1, max_tokens_per_doc=512)
    return [[result.index for result in answer.results], answer.meta.api_version.version, answer.meta.billed_units.search_units]


def error(act):
    try:
        act()
    except ApiError as thrown:
        return [type(thrown).__name__, thrown.status_code, thrown.body["message"].split(":")[0]]


def errors():
    stranger = cohere.ClientV2(api_key="sk-unknown", base_url=BASE)
    return {
        "key": error(lambda: stranger.rerank(**RANKED)),
        "model": error(lambda: client.rerank(**{**RANKED, "model": "no/such"})),
        "request": error(lambda: client.rerank(**{**RANKED, "documents": []})),
    }


async def in_async():
    async with cohere.AsyncClientV2(api_key=KEY, base_url=BASE) as caller:
        answer = await caller.rerank(**RANKED)
    return [result.index for result in answer.results]


print(json.dumps({"rerank": rerank(), "errors": errors(), "in_async": asyncio.run(in_async())}))
