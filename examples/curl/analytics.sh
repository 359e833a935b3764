#!/bin/sh
# Prints how many requests each model answered on each of the last 30 days, and what they cost. Needs a management key.
set -eu
curl --fail-with-body --silent --show-error "${BASE_URL:-http://127.0.0.1:8080/api/v1}/analytics/query" \
  --header "Authorization: Bearer $MANAGEMENT_KEY" \
  --header 'Content-Type: application/json' \
  --data '{
    "metrics": ["request_count", "total_usage"],
    "dimensions": ["model"],
    "granularity": "day"
  }'
