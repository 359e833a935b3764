"""Asks a model with the `openai` package and prints its answer."""

import os

from openai import OpenAI

base_url = os.environ.get("BASE_URL", "http://127.0.0.1:8080/api/v1")
client = OpenAI(base_url=base_url, api_key=os.environ["API_KEY"])

answer = client.chat.completions.create(
    model="local/echo-1",
    messages=[{"role": "user", "content": "Hello there"}],
)
print(answer.choices[0].message.content)
