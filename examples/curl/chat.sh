#!/bin/sh
# Asks a model and prints its answer as JSON, with the tokens that it used and what they cost.
set -eu
curl --fail-with-body --silent --show-error "${BASE_URL:-http://127.0.0.1:8080/api/v1}/chat/completions" \
  --header "Authorization: Bearer $API_KEY" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "local/echo-1",
    "messages": [{ "role": "user", "content": "Hello there" }]
  }'
