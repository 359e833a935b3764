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

const keySet = z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) });
const publicKey = z.object({ kty: z.literal('OKP'), x: z.string().length(43) });

/**
 * Creates the parser of callbacks, after "Webhooks" of fal.ai/docs (read 2026-11-28): the signature is Ed25519 in
 * hexadecimal, over request id, user id, timestamp and the SHA-256 of the body, separated by line ends. A callback
 * counts as unsigned while the keys cannot be read: the address then proves the sender.
 */
export function createCallbackParser(
  baseUrl: string,
  outbound: OutboundFetch,
): (callback: VendorCallback) => Promise<ParsedCallback> {
  const keys = new KeySet(keysUrl(baseUrl), outbound);
  return async (callback) => {
    const parsed = readCallback(callbackSchema, callback.body);
    const signed = signedMessage(callback);
    if (parsed === undefined || signed === undefined) return 'not_authentic';
    const verdict = await keys.verify(signed, callback.nowMs);
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

/** Keeps fal's keys. They are read at the first callback, and again when they are old or do not fit. */
class KeySet {
  readonly #url: string;
  readonly #outbound: OutboundFetch;
  #keys: KeyObject[] = [];
  #readAtMs = -Infinity;
  #triedAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(url: string, outbound: OutboundFetch) {
    this.#url = url;
    this.#outbound = outbound;
  }

  async verify(message: SignedText, nowMs: number): Promise<'valid' | 'invalid' | 'unknown'> {
    if (this.#isOld(nowMs)) await this.#read(nowMs);
    if (this.#isOld(nowMs)) return 'unknown';
    if (this.#isValid(message)) return 'valid';
    // fal may have changed its keys.
    await this.#read(nowMs);
    return this.#isValid(message) ? 'valid' : 'invalid';
  }

  #isOld(nowMs: number): boolean {
    return nowMs - this.#readAtMs > MAX_AGE_MS;
  }

  #isValid({ text, signature }: SignedText): boolean {
    return this.#keys.some((key) => verify(null, text, key, signature));
  }

  /** Reads the keys, unless that was tried a moment ago. A failure keeps the keys until they are too old. */
  #read(nowMs: number): Promise<void> {
    if (this.#reading === undefined && nowMs - this.#triedAtMs < MIN_AGE_MS) return Promise.resolve();
    this.#triedAtMs = this.#reading === undefined ? nowMs : this.#triedAtMs;
    return (this.#reading ??= this.#fetch(nowMs).finally(() => (this.#reading = undefined)));
  }

  async #fetch(nowMs: number): Promise<void> {
    try {
      const limits = { timeoutMs: TIMEOUT_MS, maxRedirects: 0, maxResponseBytes: MAX_BYTES };
      const { status, body } = await this.#outbound.fetch(this.#url, limits);
      const text = await readLimited(body, MAX_BYTES, 'refuse');
      const keys = status === 200 ? parseKeys(text) : [];
      if (keys.length === 0) return;
      this.#keys = keys;
      this.#readAtMs = nowMs;
    } catch {
      // The known keys stay in use until they are too old.
    }
  }
}

function parseKeys(text: string): KeyObject[] {
  return keySet
    .parse(JSON.parse(text))
    .keys.map((key) => publicKey.safeParse(key).data)
    .filter((key) => key !== undefined)
    .map(({ kty, x }) => createPublicKey({ key: { kty, crv: 'Ed25519', x }, format: 'jwk' }));
}
