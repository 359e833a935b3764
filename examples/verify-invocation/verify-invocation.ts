/**
 * Verifies that Sluice signed a request to an intern's daemon. Copy this file into your sidecar. It needs no package,
 * only Node.js 22.18 or later, which runs TypeScript without a flag. docs/daemon.md shows its use, and
 * verify_invocation.py does the same in Python.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

export interface InvocationToVerify {
  /** All headers of the request, as an object or as pairs of name and value. */
  headers: Record<string, unknown> | Iterable<readonly [name: string, value: unknown]>;
  /** The exact bytes of the request's body. */
  body: Uint8Array;
  /** The intern that this daemon belongs to, in lower or upper case. */
  internId: string;
  /** The `keys` of Sluice's JWKS. */
  keys: readonly unknown[];
  /** The current time in Unix seconds; by default the computer's clock. */
  now?: number;
  /** The most seconds by which a proof may be older or newer than `now`. Default: 300. */
  windowSeconds?: number;
  /** Remembers the accepted proofs. Pass the same map to every call, so that no proof is accepted twice. */
  seen?: SeenInvocations;
}

/** The accepted signatures, by the second at which they were made. Begin with `new Map()`. */
export type SeenInvocations = Map<number, Set<string>>;

/**
 * The reasons for refusing a request:
 * - `malformed`: a header is missing, duplicated or not of its form
 * - `expired`, `early`: the proof is older or newer than the window allows; `expired` also if it is more than two
 *   windows older than an accepted proof
 * - `forged`: no key signed this body for this intern, user and second
 * - `replayed`: the same proof was accepted before
 */
export type Refusal = 'malformed' | 'expired' | 'early' | 'forged' | 'replayed';

/** The requesting user and the Unix second of the proof, or the reason why you must refuse the request. */
export type Verdict = { user: string; time: number } | { reason: Refusal };

const PREFIX = 'x-svc-invoke-';

export function verifyInvocation({
  headers,
  body,
  internId,
  keys,
  now = Date.now() / 1000,
  windowSeconds = 300,
  seen,
}: InvocationToVerify): Verdict {
  const proof = readProof(headers);
  if (proof === undefined) return { reason: 'malformed' };
  const { signature, time, user } = proof;
  // Every comparison with NaN is false, so a clock or a window that is not a number accepts nothing.
  if (!(now - time <= windowSeconds) || time < oldestSeen(seen, windowSeconds)) return { reason: 'expired' };
  if (!(time - now <= windowSeconds)) return { reason: 'early' };
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const text = Buffer.from(`svc-invoke-v1\n${internId.toLowerCase()}\n${time}\n${user}\n${bodySha256}`);
  const bytes = Buffer.from(signature, 'base64');
  // All keys are tried, because a proof does not name its key.
  if (!keys.some((key) => isSignedBy(key, text, bytes))) return { reason: 'forged' };
  if (seen !== undefined && !addUnseen(seen, time, signature, windowSeconds)) return { reason: 'replayed' };
  return { user, time };
}

/** Returns the three headers; undefined if one is missing, duplicated or not of its form. */
function readProof(
  headers: InvocationToVerify['headers'],
): { signature: string; time: number; user: string } | undefined {
  const values = new Map<string, unknown>();
  for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    if (!lowerCase.startsWith(PREFIX)) continue;
    if (values.has(lowerCase)) return undefined;
    values.set(lowerCase, value);
  }
  const matching = (name: string, form: RegExp): string | undefined => {
    const value = values.get(`${PREFIX}${name}`);
    return typeof value === 'string' && form.test(value) ? value : undefined;
  };
  // Matches only one of the base64 texts of 64 bytes. If others were accepted, a replay with another text would look
  // new.
  const signature = matching('signature', /^[A-Za-z0-9+/]{85}[AQgw]==$/);
  const timestamp = matching('timestamp', /^(?:0|[1-9][0-9]{0,11})$/);
  const user = matching('user', /^[\x21-\x7e]{1,255}$/);
  if (signature === undefined || timestamp === undefined || user === undefined) return undefined;
  return { signature, time: Number(timestamp), user };
}

function isSignedBy(jwk: unknown, text: Buffer, signature: Buffer): boolean {
  const key = readKey(jwk);
  return key !== undefined && verify(null, text, key, signature);
}

/** Returns an Ed25519 public key; undefined for keys of other kinds, which a JWKS may hold too. */
function readKey(jwk: unknown): KeyObject | undefined {
  const { kty, crv, x } = (jwk ?? {}) as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return undefined;
  try {
    return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/**
 * Remembers a proof, and removes proofs that are too old to be accepted. Returns false if the proof is known already.
 */
function addUnseen(seen: SeenInvocations, time: number, signature: string, windowSeconds: number): boolean {
  const ofSecond = seen.get(time);
  if (ofSecond?.has(signature) === true) return false;
  if (ofSecond === undefined) seen.set(time, new Set([signature]));
  else ofSecond.add(signature);
  const oldest = oldestSeen(seen, windowSeconds);
  for (const second of seen.keys()) if (second < oldest) seen.delete(second);
  return true;
}

/**
 * Returns the oldest second that is still remembered. It depends on the accepted proofs and not on the clock, and never
 * decreases. Removed proofs therefore stay refused when a clock jumps ahead and comes back.
 */
function oldestSeen(seen: SeenInvocations = new Map(), windowSeconds: number): number {
  let newest = -Infinity;
  for (const second of seen.keys()) newest = Math.max(newest, second);
  return newest - 2 * windowSeconds;
}
