"""Gets typed answers from the gateway with instructor and prints them."""

import asyncio
import json
import os

import instructor
from instructor.core.exceptions import InstructorRetryException
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api/v1"
KEY = os.environ["GATEWAY_KEY"]
MODEL = "local/echo-1"
ASKED = {"model": MODEL, "messages": [{"role": "user", "content": 'Place {"city": "Oslo", "people": 700000}'}]}


class Place(BaseModel):
    city: str
    people: int


def client(mode=instructor.Mode.TOOLS, key=KEY):
    return instructor.from_openai(OpenAI(base_url=BASE, api_key=key, max_retries=0), mode=mode)


def tools():
    return client().chat.completions.create(response_model=Place, **ASKED).model_dump()


def schemas():
    answer = client(instructor.Mode.JSON_SCHEMA).chat.completions.create(response_model=Place, **ASKED)
    return type(answer).__name__


def stream():
    return [part.model_dump() for part in client().chat.completions.create_partial(response_model=Place, **ASKED)][-1]


def errors():
    try:
        client(key="sk-unknown").chat.completions.create(response_model=Place, max_retries=1, **ASKED)
    except InstructorRetryException as thrown:
        return str(thrown).split(" - ")[0]


async def in_async():
    caller = instructor.from_openai(AsyncOpenAI(base_url=BASE, api_key=KEY, max_retries=0))
    return (await caller.chat.completions.create(response_model=Place, **ASKED)).model_dump()


FEATURES = [tools, schemas, stream, errors]
print(json.dumps({**{feature.__name__: feature() for feature in FEATURES}, "in_async": asyncio.run(in_async())}))
