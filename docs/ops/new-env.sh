#!/bin/sh
# Writes .env, which compose.yaml reads, with fresh random keys:
#
#   sh docs/ops/new-env.sh https://sluice.example.com
set -eu

public_url=${1:?The first argument is missing: the origin that clients reach the API under}
if [ -e .env ]; then
  echo '.env is there already. Its ENCRYPTION_KEYS open what the database keeps: it is not overwritten.' >&2
  exit 1
fi

hex() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

postgres_password=$(hex 24)

# For the owner's eyes only.
umask 077
cat > .env << END
PUBLIC_URL=$public_url
ENCRYPTION_KEYS=$(date +%Y):$(head -c 32 /dev/urandom | base64)
POSTGRES_PASSWORD=$postgres_password
DATABASE_URL=postgres://sluice:$postgres_password@postgres:5432/sluice
S3_ACCESS_KEY_ID=$(hex 10)
S3_SECRET_ACCESS_KEY=$(hex 24)
END
echo 'Wrote .env. Keep a copy of it in a safe place.'
