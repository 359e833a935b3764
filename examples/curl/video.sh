#!/bin/sh
# Submits a video job, waits until it ends, and downloads the MP4. Pass a URL to receive the signed webhook as well:
#   sh examples/curl/video.sh https://app.example.com/hook
set -eu
api="${BASE_URL:-http://127.0.0.1:8080/api/v1}"
call() {
  curl --fail-with-body --silent --show-error --header "Authorization: Bearer $API_KEY" "$@"
}
# Prints a text field of a JSON object.
field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

callback=${1:+",\"callback_url\":\"$1\""}
job=$(call "$api/videos" \
  --header 'Content-Type: application/json' \
  --data "{\"model\":\"local/clip-1\",\"prompt\":\"A paper boat crossing a rain puddle\"${callback:-}}" | field id)
echo "submitted $job"

status=pending
while [ "$status" = pending ] || [ "$status" = in_progress ]; do
  # Answers when the status changes, at the latest after 20 seconds.
  status=$(call "$api/videos/$job?wait=20" | field status)
  echo "$status"
done
[ "$status" = completed ]

call "$api/videos/$job/content" --output "${OUTPUT:-video.mp4}"
echo "saved ${OUTPUT:-video.mp4}"
