import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { verifyAsync } from '@noble/ed25519';
import { calculateJwkThumbprint, createLocalJWKSet, importJWK } from 'jose';
import { invocationText } from '../../domain/interns/invocation.ts';
import {
  addIntern,
  addPersonalKey,
  BODY,
  proofFor,
  publishedKeys,
  sha256Of,
  startDaemonGateway,
  type WireJwk,
  type WireProof,
} from '../support/daemon.ts';
import type { Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let proof: WireProof;
let key: WireJwk;
let text: string;

beforeAll(async () => {
  gateway = await startDaemonGateway();
  const internId = await addIntern(gateway);
  const { token } = await addPersonalKey(gateway);
  proof = await proofFor(gateway, token, internId);
  [key] = (await publishedKeys(gateway)) as [WireJwk];
  text = invocationText({
    internId,
    timestamp: Number(proof['x-svc-invoke-timestamp']),
    user: proof['x-svc-invoke-user'],
    bodySha256: sha256Of(BODY),
  });
});
afterAll(() => gateway.close());

const bytesOf = (signature: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(signature, 'base64'));

test('jose accepts the published key set and computes the same thumbprint', async () => {
  const { kid, ...jwk } = key;
  expect(kid).toBe(await calculateJwkThumbprint(jwk));
  const find = createLocalJWKSet({ keys: [key] });
  const found = await find({ alg: 'EdDSA', kid });
  expect(found.algorithm.name).toBe('Ed25519');
});

test.each([
  // A proof is no JWS, whose signed text always has a header, so jose has no function that verifies one.
  ['WebCrypto, with the key as jose imports it,', verifyByWebCrypto],
  ['@noble/ed25519, which has its own arithmetic and uses no OpenSSL,', verifyByNoble],
])('%s verifies a signature, and no signature of another text', async (_what, verify) => {
  expect(await verify(text)).toBe(true);
  expect(await verify(text.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe(false);
});

async function verifyByWebCrypto(signed: string): Promise<boolean> {
  const imported = await importJWK(key, 'EdDSA');
  if (imported instanceof Uint8Array) throw new Error('not a public key');
  const signature = bytesOf(proof['x-svc-invoke-signature']);
  return crypto.subtle.verify('Ed25519', imported, signature, Buffer.from(signed));
}

function verifyByNoble(signed: string): Promise<boolean> {
  const publicKey = Uint8Array.from(Buffer.from(key.x, 'base64url'));
  return verifyAsync(
    bytesOf(proof['x-svc-invoke-signature']),
    Uint8Array.from(Buffer.from(signed)),
    publicKey,
  );
}
