"""Calls every function of the published client that the gateway serves, and prints for each whether the client could read the answer.

A function that the gateway does not serve is in NOT_SERVED with the reason. One that is in neither list is printed under `neither`.
"""

import importlib
import inspect
import json
import os
import re
import urllib.error
import urllib.request

from openrouter import OpenRouter, operations
from pydantic import BaseModel

ORIGIN = os.environ["GATEWAY_ORIGIN"]
KEY = os.environ["GATEWAY_KEY"]
SCENE = json.loads(os.environ["SCENE"])

FILES = "The gateway stores no files of callers."
BATCHES = "The gateway has no batches."
CONTAINERS = "The gateway runs no code for models."
GUARDRAILS = "The gateway has no guardrails yet."
OAUTH = "Keys are made with POST /keys, not with OAuth."
DATASETS = "The vendor publishes this about its own traffic or its own measurements."
END_USERS = "The path of this client is older: the gateway serves the same at /end-users."
MODELS = "No model of this kind can be in the catalog."
TOOLS = "The gateway has no hosted tools."
TRANSCRIPTION = "The gateway transcribes nothing yet."

NOT_SERVED = {
    "alpha.decisions.create": MODELS,
    "batch.create_batches": BATCHES,
    "batch.delete": BATCHES,
    "batch.get_batches": BATCHES,
    "batch.list": BATCHES,
    "benchmarks.get_benchmarks": DATASETS,
    "classifications.get_task_classifications": DATASETS,
    "containers.download_container_file_content": CONTAINERS,
    "containers.get_container_file": CONTAINERS,
    "containers.list_container_files": CONTAINERS,
    "containers.promote_container_file": CONTAINERS,
    "datasets.get_session_cost": DATASETS,
    "external_users.create": END_USERS,
    "external_users.delete": END_USERS,
    "external_users.get": END_USERS,
    "external_users.list": END_USERS,
    "external_users.update": END_USERS,
    "files.delete": FILES,
    "files.download": FILES,
    "files.list": FILES,
    "files.retrieve": FILES,
    "files.upload": FILES,
    "generations.submit_feedback": "The gateway collects no feedback yet.",
    "guardrails.bulk_assign_keys": GUARDRAILS,
    "guardrails.bulk_assign_members": GUARDRAILS,
    "guardrails.bulk_unassign_keys": GUARDRAILS,
    "guardrails.bulk_unassign_members": GUARDRAILS,
    "guardrails.create": GUARDRAILS,
    "guardrails.delete": GUARDRAILS,
    "guardrails.get": GUARDRAILS,
    "guardrails.list": GUARDRAILS,
    "guardrails.list_guardrail_key_assignments": GUARDRAILS,
    "guardrails.list_guardrail_member_assignments": GUARDRAILS,
    "guardrails.list_key_assignments": GUARDRAILS,
    "guardrails.list_member_assignments": GUARDRAILS,
    "guardrails.update": GUARDRAILS,
    "o_auth.create_auth_code": OAUTH,
    "o_auth.create_oauth_token": OAUTH,
    "o_auth.exchange_auth_code_for_api_key": OAUTH,
    "o_auth.list_oauth_jwks": OAUTH,
    "stt.create_transcription": TRANSCRIPTION,
    "stt.create_transcription_multipart": TRANSCRIPTION,
    "system_one.create": MODELS,
    "tools.get_tool": TOOLS,
    "tools.list_tools": TOOLS,
}

REQUEST = re.compile(r'method="(\w+)",\s*path="([^"]+)"')


def functions(kind, prefix=""):
    """Yields name, method and path of every function of the client that sends a request."""
    for name, function in vars(kind).items():
        if name.startswith("_") or name.endswith("_async") or not inspect.isfunction(function):
            continue
        request = REQUEST.search(inspect.getsource(function))
        if request is not None:
            yield prefix + name, request[1], request[2]
    for name, (module, part) in getattr(kind, "_sub_sdk_map", {}).items():
        yield from functions(getattr(importlib.import_module(module), part), f"{prefix}{name}.")


def client(key):
    return OpenRouter(api_key=key, server_url=f"{ORIGIN}/api/v1")


caller = client(KEY)
manager = client(SCENE["management_key"])
verdicts: dict[str, str] = {}


def unread(value, path=""):
    """Yields where the client found a shape that it does not know."""
    if type(value).__name__.startswith("Unknown") and hasattr(value, "raw"):
        yield f"{path}: {value.raw}"
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from unread(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from unread(part, f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from unread(part, f"{path}.{index}")


def read(name, by=caller, /, **arguments):
    """Calls a function and notes whether the client could read the answer. Returns what the client made of it."""
    function = by
    for part in name.split("."):
        function = getattr(function, part)
    answer = None
    try:
        answer = function(**arguments)
        if hasattr(answer, "__next__"):
            answer = list(answer)
        strange = list(unread(answer))
        verdict = f"not known: {strange}" if strange else "read"
    except Exception as error:
        verdict = f"{type(error).__name__}: {error}"
    # A function that is called more than once keeps its first failure.
    if verdicts.get(name, "read") == "read":
        verdicts[name] = verdict
    return answer


USER = [{"role": "user", "content": "Hello"}]
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
ASK_WEATHER = [{"role": "user", "content": 'weather {"city": "Oslo"}'}]


def live():
    read("chat.send", model="local/echo-1", messages=USER)
    read("chat.send", model="local/echo-1", messages=USER, stream=True, stream_options={"include_usage": True})
    read("chat.send", model="local/echo-1", messages=ASK_WEATHER, tools=[WEATHER])
    read("chat.send", model="local/echo-1", messages=ASK_WEATHER, tools=[WEATHER], stream=True)
    for name in ("responses.send", "beta.responses.send"):
        tool = {"type": "function", "strict": False, **WEATHER["function"]}
        read(name, model="local/echo-1", input="Hello")
        read(name, model="local/echo-1", input="Hello", stream=True)
        read(name, model="local/echo-1", input="weather please", tools=[tool])
        read(name, model="local/echo-1", input="weather please", tools=[tool], stream=True)
    read("embeddings.generate", model="local/embed-1", input=["a", "b"])
    read("embeddings.generate", model="local/embed-1", input="a", encoding_format="base64")
    read("rerank.rerank", model="local/rerank-1", query="x", documents=["x", {"text": "y"}])
    read("images.generate", model="local/image-1", prompt="x")
    read("images.generate", model="local/image-1", prompt="x", stream=True)
    read("tts.create_speech", model="local/speech-1", input="Hello")


def videos():
    read("video_generation.generate", model="local/clip-canned", prompt="x")
    read("video_generation.get_generation", job_id=SCENE["job_id"])
    read("video_generation.get_video_content", job_id=SCENE["job_id"])
    read("video_generation.list_videos_models")


def catalog():
    read("models.list", output_modalities="all")
    read("models.list", limit=1)
    read("models.count")
    security = operations.ListModelsUserSecurity(bearer=KEY)
    read("models.list_for_user", security=security, output_modalities="all")
    for kind in ("echo-1", "embed-1", "image-1", "speech-1", "rerank-1", "clip-1"):
        read("models.get", author="local", slug=kind)
        read("endpoints.list", author="local", slug=kind)
    read("endpoints.list_zdr_endpoints")
    read("providers.list")
    read("embeddings.list_models")
    read("images.list_models")
    read("images.list_model_endpoints", author="local", slug="image-1")


def insights():
    read("generations.get_generation", id=SCENE["generation_id"])
    read("generations.list_generation_content", id=SCENE["generation_id"])
    read("analytics.get_analytics_meta", manager)
    read("analytics.get_user_activity", manager)
    metrics = ["request_count", "latency_p95"]
    read("analytics.query_analytics", manager, metrics=metrics, dimensions=["model"], granularity="day")
    read("credits.get_credits", manager)
    read("datasets.get_app_rankings")
    read("datasets.get_rankings_daily")


def keys():
    read("api_keys.get_current_key_metadata")
    made = read("api_keys.create", manager, name="By Python", limit=5, limit_reset="monthly", external={"user": "u-1"})
    hash = made.data.hash
    read("api_keys.list", manager)
    read("api_keys.get", manager, hash=hash)
    read("api_keys.update", manager, hash=hash, disabled=True)
    read("api_keys.delete", manager, hash=hash)


def presets():
    slug = "by-python"
    chat = {"model": "local/echo-1", "messages": [{"role": "system", "content": "Be brief."}, *USER]}
    tool = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}
    read("presets.create_presets_chat_completions", manager, slug=slug, temperature=0.5, tools=[WEATHER], **chat)
    read("presets.create_presets_messages", manager, slug=slug, model="local/echo-1", messages=USER, max_tokens=9, tools=[tool])
    read("presets.create_presets_responses", manager, slug=slug, model="local/echo-1", input="x", instructions="Be brief.")
    read("presets.list", manager)
    read("presets.get", manager, slug=slug)
    read("presets.list_versions", manager, slug=slug)
    read("presets.get_version", manager, slug=slug, version="2")


def workspaces():
    made = read("workspaces.create", manager, name="By Python", slug="by-python", description="x")
    id = made.data.id
    read("workspaces.list", manager)
    read("workspaces.get", manager, id=id)
    read("workspaces.update", manager, id=id, name="Renamed", default_text_model="local/echo-1")
    read("workspaces.bulk_add_members", manager, id=id, user_ids=[SCENE["user_id"]])
    read("workspaces.list_members", manager, id=id)
    read("workspaces.bulk_remove_members", manager, id=id, user_ids=[SCENE["user_id"]])
    read("workspaces.set_budget", manager, workspace_ref=id, interval="daily", limit_usd=1)
    read("workspaces.list_budgets", manager, workspace_ref=id)
    read("workspaces.get_budget", manager, workspace_ref=id, interval="daily")
    read("workspaces.delete_budget", manager, workspace_ref=id, interval="daily")
    read("workspaces.delete", manager, id=id)
    read("organization.list_members", manager)
    read("organization.get_settings", manager)
    read("organization.update_settings", manager, is_filtered_model_catalog_enabled=False)


def observability():
    ids = []
    for draft in SCENE["destinations"]:
        made = read("observability.create", manager, name=draft["name"], type_=draft["type"], config=draft["config"])
        ids.append(made.data.id)
    read("observability.list", manager)
    for id in ids:
        read("observability.get", manager, id=id)
        read("observability.update", manager, id=id, name="Renamed", sampling_rate=0.5)
    for id in ids:
        read("observability.delete", manager, id=id)


def brought():
    made = read("byok.create", manager, provider="openai", key="sk-a-key-of-a-customer", name="By Python")
    id = made.data.id
    read("byok.list", manager)
    read("byok.get", manager, id=id)
    read("byok.update", manager, id=id, disabled=True)
    read("byok.delete", manager, id=id)
    draft = {"provider_slug": "openai-compatible", "upstream_model_id": "tuned", "base_url": "https://vllm.example/v1"}
    made = read("private_endpoints.create", manager, model_permaslug="local/echo-1", **draft)
    id = made.data.id
    read("private_endpoints.update", manager, id=id, upstream_model_id="other")
    price = {"prompt": "0.000001", "completion": "0.000002"}
    read("private_endpoints.update_pricing", manager, id=id, pricing=price)
    read("private_endpoints.validate", manager, id=id, workspace_id=SCENE["workspace_id"])
    validated = SCENE["endpoint_id"]
    read("private_endpoints.activate", manager, id=validated)
    read("private_endpoints.list", manager)
    read("private_endpoints.get", manager, id=validated)
    read("private_endpoints.disable", manager, id=validated)
    read("private_endpoints.enable", manager, id=validated)
    read("private_endpoints.delete", manager, id=validated)


def directory():
    ids = {"scim_group_id": SCENE["group_id"], "workspace_id": SCENE["workspace_id"]}
    made = read("scim.create", manager, role="member", **ids)
    id = made.data.id
    read("scim.list_groups", manager)
    read("scim.list_mappings", manager)
    read("scim.read", manager, id=id)
    read("scim.update", manager, id=id, role="admin")
    read("scim.delete", manager, id=id, keep_members=True)
    job = read("scim.create_sync_job", manager)
    read("scim.get_sync_job", manager, id=job.result.data.id)


def vault():
    secret = {"hosts": ["api.example.com"], "value": "a value"}
    intern = {"intern_id": SCENE["intern_id"]}
    read("vault.store_vault_secret", name="shared", **secret)
    read("vault.list_vault_secrets")
    read("vault.store_intern_vault_secret", name="own", **intern, **secret)
    read("vault.copy_vault_secrets_to_intern", names=["shared"], **intern)
    read("vault.list_intern_vault_secrets", **intern)
    read("vault.list_intern_effective_vault_secrets", **intern)
    read("vault.list_intern_connections", **intern)
    read("vault.delete_intern_vault_secret", name="own", **intern)
    read("vault.delete_vault_secret", name="shared")


def status_of(method, path):
    """Returns the status that the gateway answers for a function that it does not serve."""
    url = ORIGIN + (path if path.startswith("/api/") else f"/api/v1{path}")
    request = urllib.request.Request(re.sub(r"\{\w+\}", "x", url), method=method)
    request.add_header("authorization", f"Bearer {SCENE['management_key']}")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


for part in (live, videos, catalog, insights, keys, presets, workspaces, observability, brought, directory, vault):
    part()

every = {name: (method, path) for name, method, path in functions(OpenRouter)}
print(
    json.dumps(
        {
            "verdicts": verdicts,
            "not_served": {name: status_of(*every[name]) for name in NOT_SERVED if name in every},
            "neither": [name for name in every if name not in verdicts and name not in NOT_SERVED],
        }
    )
)
