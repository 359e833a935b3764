"""Asks a model with the `openrouter` package and prints its answer."""

import os

from openrouter import OpenRouter

base_url = os.environ.get("BASE_URL", "http://127.0.0.1:8080/api/v1")
client = OpenRouter(server_url=base_url, api_key=os.environ["API_KEY"])

answer = client.chat.send(
    model="local/echo-1",
    messages=[{"role": "user", "content": "Hello there"}],
)
print(answer.choices[0].message.content)
