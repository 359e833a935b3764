"""Prints an answer while the model writes it, with the `openai` package, and the tokens that it used."""

import os

from openai import OpenAI

base_url = os.environ.get("BASE_URL", "http://127.0.0.1:8080/api/v1")
client = OpenAI(base_url=base_url, api_key=os.environ["API_KEY"])

stream = client.chat.completions.create(
    model="local/echo-1",
    messages=[{"role": "user", "content": "Hello there"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)
    if chunk.usage:
        print(f"\n{chunk.usage.total_tokens} tokens")
