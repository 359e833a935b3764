/** Verifies fal's callbacks by its public keys. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { readLimited } from '../read-limited.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { ParsedCallback, VendorCallback } from '../video-adapter.ts';
import { readCallback } from '../video-answers.ts';
import { callbackSchema } from './schemas.ts';

/** The largest difference between the message's clock and this one, as fal documents it. */
const TOLERANCE_SECONDS = 300;
/** The time for which keys may be kept, as fal documents it. */
const MAX_AGE_MS = 24 * 3_600_000;
/** The shortest time between two requests for the keys, so that forged callbacks cannot cause more. */
const MIN_AGE_MS = 60_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const MAX_KEYS = 16;

const publicKey = z.object({ kty: z.literal('OKP'), x: z.string().length(43) });
/** Keys of another kind are undefined. */
const keySet = z.object({ keys: z.array(publicKey.optional().catch(undefined)).max(MAX_KEYS) });

/**
 * Creates the parser of callbacks, after "Webhooks" of fal.ai/docs (read 2026-11-28): the signature is Ed25519 in
 * hexadecimal, over request id, user id, timestamp and the SHA-256 of the body, separated by line ends. A callback
 * counts as unsigned while the keys cannot be read: the address then proves the sender.
 */
export function createCallbackParser(
  baseUrl: string,
  outbound: OutboundFetch,
): (callback: VendorCallback) => Promise<ParsedCallback> {
  const verdictOn = createKeyCache(keysUrl(baseUrl), outbound);
  return async (callback) => {
    const parsed = readCallback(callbackSchema, callback.body);
    const signed = signedMessage(callback);
    if (parsed === undefined || signed === undefined) return 'not_authentic';
    const verdict = await verdictOn(signed, callback.nowMs);
    if (verdict === 'invalid') return 'not_authentic';
    const { request_id: operationId, status: vendorStatus } = parsed;
    return { operationId, vendorStatus, terminal: true, signed: verdict === 'valid' };
  };
}

/** Returns the address of fal's keys, or the same path at another server that speaks its API. */
function keysUrl(baseUrl: string): string {
  const { hostname, origin } = new URL(baseUrl);
  const isFal = /(^|\.)(fal|falrun)\.(run|com)$/.test(hostname);
  return `${isFal ? 'https://rest.fal.ai' : origin}/.well-known/jwks.json`;
}

interface SignedText {
  text: Buffer;
  signature: Buffer;
}

/** Returns the signed text and its signature; undefined if a header is missing, malformed or too old. */
function signedMessage({ headers, body, nowMs }: VendorCallback): SignedText | undefined {
  const names = ['request-id', 'user-id', 'timestamp', 'signature'];
  const [requestId, userId, timestamp, hex] = names.map((name) => headers[`x-fal-webhook-${name}`]);
  if (typeof requestId !== 'string' || typeof userId !== 'string') return undefined;
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (typeof hex !== 'string' || !/^[0-9a-f]{128}$/i.test(hex)) return undefined;
  if (Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) return undefined;
  const digest = createHash('sha256').update(body).digest('hex');
  const text = Buffer.from([requestId, userId, timestamp, digest].join('\n'));
  return { text, signature: Buffer.from(hex, 'hex') };
}

/** Keeps fal's keys. They are read at the first callback, and again when they are too old or none fits. */
function createKeyCache(
  url: string,
  outbound: OutboundFetch,
): (message: SignedText, nowMs: number) => Promise<'valid' | 'invalid' | 'unknown'> {
  let keys: KeyObject[] = [];
  let readAtMs = -Infinity;
  /** The latest request for the keys, which may still be running. */
  let latest = { atMs: -Infinity, done: Promise.resolve() };

  async function readKeys(nowMs: number): Promise<void> {
    const limits = { timeoutMs: TIMEOUT_MS, maxRedirects: 0, maxResponseBytes: MAX_BYTES };
    const { status, body } = await outbound.fetch(url, limits);
    const found = parseKeys(await readLimited(body, MAX_BYTES, 'refuse'));
    if (status === 200 && found.length > 0) [keys, readAtMs] = [found, nowMs];
  }

  /** Waits for a request for the keys of the last minute, or for a new one. A failure keeps the keys. */
  function refresh(nowMs: number): Promise<void> {
    if (nowMs - latest.atMs >= MIN_AGE_MS) latest = { atMs: nowMs, done: readKeys(nowMs).catch(() => {}) };
    return latest.done;
  }

  return async ({ text, signature }, nowMs) => {
    const isTooOld = () => nowMs - readAtMs > MAX_AGE_MS;
    const isValid = () => keys.some((key) => verify(null, text, key, signature));
    if (isTooOld() || !isValid()) await refresh(nowMs);
    if (isTooOld()) return 'unknown';
    return isValid() ? 'valid' : 'invalid';
  };
}

function parseKeys(text: string): KeyObject[] {
  const { keys } = keySet.parse(JSON.parse(text));
  return keys
    .filter((key) => key !== undefined)
    .map(({ kty, x }) => createPublicKey({ key: { kty, crv: 'Ed25519', x }, format: 'jwk' }));
}
