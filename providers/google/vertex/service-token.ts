/** Exchanges the signature of a service account for a token (developers.google.com/identity, read 2026-11-28). */
import { createPrivateKey, sign } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type Fields, fieldsInJson } from '../../../domain/fields.ts';
import type { OutboundFetch } from '../../reference-media.ts';
import { type Expiring, withoutCredential } from '../../renewed.ts';
import type { ServiceAccount } from './credential.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFE_SECONDS = 3_600;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Fetches a token, through the guard and without redirects: a customer's file names the address. Throws ProviderError.
 * Its message for customers contains nothing of the answer, so that a customer cannot read what an address answers.
 */
export async function fetchServiceToken(
  account: ServiceAccount,
  scope: string,
  outbound: OutboundFetch,
): Promise<Expiring<string>> {
  const body = new URLSearchParams({ grant_type: GRANT, assertion: assertionOf(account, scope) });
  const answer = await send(account.token_uri, body.toString(), outbound);
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== 'string' || token === '')
    throw withoutCredential('unauthorized', new Error('an answer without a token'));
  const expiresAtMs = Date.now() + (typeof seconds === 'number' ? seconds : LIFE_SECONDS) * 1_000;
  return { value: token, expiresAtMs };
}

async function send(url: string, body: string, outbound: OutboundFetch): Promise<Fields> {
  let status: number;
  let answer: string;
  try {
    const response = await outbound.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    ({ status } = response);
    answer = await text(response.body);
  } catch (cause) {
    throw withoutCredential('not_connected', cause);
  }
  if (status === 429 || status >= 500)
    throw withoutCredential('overloaded', new Error(`the token server: ${status}`));
  const parsed = fieldsInJson(answer) ?? {};
  if (status !== 200)
    throw withoutCredential('unauthorized', new Error(`the token server: ${status} ${reasonIn(parsed)}`));
  return parsed;
}

/** Returns Google's word for a refusal, such as `invalid_grant`. Another server may repeat the signed request. */
function reasonIn({ error }: Fields): string {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'without a reason';
}

function assertionOf(
  { client_email: iss, private_key: pem, private_key_id: kid, token_uri: aud }: ServiceAccount,
  scope: string,
): string {
  const iat = Math.floor(Date.now() / 1_000);
  const signed = [
    { alg: 'RS256', typ: 'JWT', kid },
    { iss, scope, aud, iat, exp: iat + LIFE_SECONDS },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), createPrivateKey(pem)).toString('base64url')}`;
}
