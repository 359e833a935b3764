#!/bin/sh
# Prints an answer while the model writes it, as server-sent events. The last event before [DONE] has the usage.
set -eu
curl --fail-with-body --silent --show-error --no-buffer "${BASE_URL:-http://127.0.0.1:8080/api/v1}/chat/completions" \
  --header "Authorization: Bearer $API_KEY" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "local/echo-1",
    "messages": [{ "role": "user", "content": "Hello there" }],
    "stream": true
  }'
