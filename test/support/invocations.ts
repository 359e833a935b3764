import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { invocationText } from '../../domain/interns/invocation.ts';

/** The arguments of a verifier, as JSON for the one in Python. */
export interface VerifierCall {
  headers: Record<string, unknown> | [name: string, value: unknown][];
  /** Base64 of the body's bytes. */
  body: string;
  internId: string;
  keys: unknown[];
  now?: number;
  windowSeconds?: number;
  /** Whether proofs are remembered from one call of the run to the next. */
  remembers?: boolean;
}

export type WireVerdict = { user: string; time: number } | { reason: string };

export interface VerifierRun {
  verdicts: WireVerdict[];
  /** How many signatures are remembered after the last call. */
  remembered: number;
}

/** Makes the calls in turn, with one memory for all that remember. */
export type RunVerifier = (calls: readonly VerifierCall[]) => Promise<VerifierRun>;

export const NOW = 1_790_000_000;
export const INTERN_ID = '6f0c8b9e-51ce-4a0a-9a55-1f4c2a6a3a52';
export const USER = 'user|alice@example.com';
const BODY = Buffer.from('{"message":"Grüße"}\n');

export interface Signer {
  privateKey: KeyObject;
  jwk: object;
}

/** Makes a key pair as Sluice has them. */
export function makeSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA' } };
}

interface ProofFacts {
  internId?: string;
  timestamp?: number;
  user?: string;
  body?: Buffer;
}

/** Returns the three headers that Sluice gives a client. */
export function proofOf(
  { privateKey }: Signer,
  { internId = INTERN_ID, timestamp = NOW, user = USER, body = BODY }: ProofFacts = {},
): Record<string, string> {
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const text = Buffer.from(invocationText({ internId, timestamp, user, bodySha256 }));
  return {
    'x-svc-invoke-signature': sign(null, text, privateKey).toString('base64'),
    'x-svc-invoke-timestamp': `${timestamp}`,
    'x-svc-invoke-user': user,
  };
}

/** Returns a call that is right, unless the changes make it wrong. */
export function callWith(
  signer: Signer,
  changes: Partial<Omit<VerifierCall, 'body'>> & { body?: Buffer } = {},
): VerifierCall {
  const { body = BODY, ...others } = changes;
  return {
    headers: proofOf(signer),
    internId: INTERN_ID,
    keys: [signer.jwk],
    now: NOW,
    ...others,
    body: body.toString('base64'),
  };
}
