"""Calls the gateway with langchain-openrouter and prints what it answered."""

import os

from langchain_features import print_features
from langchain_openrouter import ChatOpenRouter

BASE = f"{os.environ['GATEWAY_ORIGIN']}/api/v1"
KEY = os.environ["GATEWAY_KEY"]


def model(key=KEY, name="local/echo-1", **settings):
    return ChatOpenRouter(base_url=BASE, api_key=key, model=name, max_retries=0, **settings)


def preferences():
    caller = model(openrouter_provider={"order": ["local"], "allow_fallbacks": False})
    return caller.invoke("Hello there").content


def error(act):
    try:
        act()
    except Exception as thrown:
        return [type(thrown).__name__, getattr(thrown, "status_code", None)]


print_features(model, error, [preferences])
