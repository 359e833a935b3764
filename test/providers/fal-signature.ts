import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { jsonReply, type Reply } from '../../upstream/reply.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/** The headers of a callback. */
export function signedByFal(
  id: string,
  body: string,
  { key = privateKey, at = Date.now() }: { key?: KeyObject | undefined; at?: number } = {},
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHash('sha256').update(body).digest('hex');
  return {
    'content-type': 'application/json',
    'x-fal-webhook-request-id': id,
    'x-fal-webhook-user-id': 'user-1',
    'x-fal-webhook-timestamp': timestamp,
    'x-fal-webhook-signature': sign(
      null,
      Buffer.from(`${id}\nuser-1\n${timestamp}\n${digest}`),
      key,
    ).toString('hex'),
  };
}

/** The keys as fal publishes them, with one of another kind. */
export function falKeys(): Reply {
  const { kty, crv, x } = publicKey.export({ format: 'jwk' });
  return jsonReply(200, {
    keys: [
      { kty: 'RSA', n: 'AA', e: 'AQAB' },
      { kty, crv, x, use: 'sig' },
    ],
  });
}
