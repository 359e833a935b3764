"""Calls the gateway with OpenAI's own client and prints what it answered."""

import json
import os

from openai import OpenAI

client = OpenAI(base_url=f"{os.environ['GATEWAY_ORIGIN']}/api/v1", api_key=os.environ["GATEWAY_KEY"])

models = [model.id for model in client.models.list()]
chat = client.chat.completions.create(
    model="local/echo-1",
    messages=[{"role": "user", "content": "Hello there"}],
)

print(json.dumps({"models": models, "chat": chat.choices[0].message.content}))
