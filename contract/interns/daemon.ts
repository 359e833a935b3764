/** Declares the operations that sign for interns' daemons and publish the signing keys. */
import { z } from 'zod';
import { KEYS_CACHED_SECONDS } from '../../domain/interns/daemon-key.ts';
import { RATE_LIMIT_HEADERS } from '../headers.ts';
import { defineOperations, type OperationDefinition } from '../operation.ts';
import { SIGN_TIMEOUT_MS } from './daemon-error.ts';

const common = { tag: 'Interns' } as const;

/** The cache header of the published keys. A new key signs only after the `max-age` has passed twice. */
export const KEYS_CACHE_CONTROL = `public, max-age=${KEYS_CACHED_SECONDS}`;

/** The deprecation time of the alias: 2026-11-23T00:00:00Z, the day on which it was added. */
const ALIAS_DEPRECATED_SINCE = 1_795_392_000;

const EXAMPLE_HASH = '1ac4a3bf72b50fe0031b7654589e7651048a7ff919555935569ecb090cab397e';

const SIGN_PATH = '/interns/{internId}/daemon/sign';

const params = z.object({
  internId: z.string().meta({ description: 'The id of an intern that is visible to the key.' }),
});

const signRequest = z
  .object({
    bodySha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
      .meta({
        description:
          'Lower-case hex SHA-256 of the exact bytes that you will send to the daemon as the body. Other fields are ignored.',
      }),
  })
  .meta({ id: 'SignDaemonRequest' });

const signature = z
  .object({
    'x-svc-invoke-signature': z.string().meta({
      description:
        'Base64 of the Ed25519 signature over `svc-invoke-v1`, the id of the intern, the timestamp, the user and `bodySha256`, joined by line feeds.',
    }),
    'x-svc-invoke-timestamp': z
      .string()
      .meta({ description: 'Unix seconds at which the proof was signed. It is valid for 300 seconds.' }),
    'x-svc-invoke-user': z
      .string()
      .meta({ description: 'The identity that the key belongs to, regardless of the request.' }),
  })
  .meta({ id: 'DaemonSignature', description: 'Send these as headers of the request to the daemon.' });

const sign = {
  access: 'any',
  programme: 'interns',
  params,
  body: {
    schema: signRequest,
    limit: 'sign',
    maxEntries: Infinity,
    examples: {
      message: { summary: 'For a body of `{"message":"Good morning"}`', value: { bodySha256: EXAMPLE_HASH } },
    },
  },
  timeoutMs: SIGN_TIMEOUT_MS,
  errorShape: 'daemon',
  responses: {
    200: {
      description: 'The proof, as headers to send.',
      schema: signature,
      headers: RATE_LIMIT_HEADERS,
      example: {
        'x-svc-invoke-signature':
          'CMh+yYm3OcxRyIvMwlMp1R62hK56/zlOBwYVVVriQOI8u1XyH2foF4Nu2OkBcLHQZMemKspyB1ZYG01BlwtVBQ==',
        'x-svc-invoke-timestamp': '1795392000',
        'x-svc-invoke-user': 'alice@example.com',
      },
    },
  },
  errors: [429],
} as const satisfies Partial<OperationDefinition>;

const publicKey = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().meta({ description: 'The 32 bytes of the key in base64url.' }),
    kid: z.string().meta({ description: 'The thumbprint of the key (RFC 7638).' }),
    alg: z.literal('EdDSA'),
    use: z.literal('sig'),
  })
  .meta({ id: 'DaemonPublicKey' });

export const daemonOperations = defineOperations(common, {
  signDaemonRequest: {
    ...sign,
    route: `POST ${SIGN_PATH}`,
    summary: 'Sign a request to an intern’s daemon',
    description:
      'Signs a proof of the caller’s identity for the intern’s daemon. The daemon verifies it with the keys of `GET /interns/daemon/jwks.json` and needs no secret key. Only keys that name a person can sign.',
  },

  signDaemonAccess: {
    ...sign,
    route: 'POST /interns/{internId}/daemon-access/sign',
    summary: 'Sign a request to an intern’s daemon (former path)',
    description: 'Does what `POST /interns/{internId}/daemon/sign` does.',
    deprecated: { since: ALIAS_DEPRECATED_SINCE, successor: SIGN_PATH },
  },

  getDaemonKeys: {
    route: 'GET /interns/daemon/jwks.json',
    access: 'public',
    summary: 'Get the keys that verify signatures for daemons',
    description:
      'Returns a JSON Web Key Set. Try every key, since a proof does not name its key. A key is published ten minutes before its first signature, and for a day after its last one.',
    responses: {
      200: {
        description: 'The public keys.',
        schema: z.object({ keys: z.array(publicKey) }).meta({ id: 'DaemonKeys' }),
        headers: { 'Cache-Control': `\`${KEYS_CACHE_CONTROL}\`` },
        example: {
          keys: [
            {
              kty: 'OKP',
              crv: 'Ed25519',
              x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
              kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
              alg: 'EdDSA',
              use: 'sig',
            },
          ],
        },
      },
    },
  },
});

export type DaemonPublicKey = z.output<typeof publicKey>;
export type DaemonSignature = z.output<typeof signature>;
