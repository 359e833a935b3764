/** The calls to which every verifier of invocations gives the same verdict. */
import {
  callWith,
  INTERN_ID,
  makeSigner,
  NOW,
  proofOf,
  type Signer,
  USER,
  type VerifierCall,
  type WireVerdict,
} from './invocations.ts';

export const RIGHT = { user: USER, time: NOW };
export const SIGNATURE = 'x-svc-invoke-signature';
const TIMESTAMP = 'x-svc-invoke-timestamp';
const USER_HEADER = 'x-svc-invoke-user';
const FORGED = { reason: 'forged' };
const MALFORMED = { reason: 'malformed' };
const EXPIRED = { reason: 'expired' };

type Case = [what: string, call: VerifierCall, expected: WireVerdict];

export function casesOf(signer: Signer): Case[] {
  return [
    ...callCases(signer),
    ...clockCases(signer),
    ...keyCases(signer),
    ...headerCases(signer),
    ...signatureCases(signer),
    ...timestampCases(signer),
    ...userCases(signer),
  ];
}

function withHeader(signer: Signer, name: string, value: unknown): VerifierCall {
  return callWith(signer, { headers: { ...proofOf(signer), [name]: value } });
}

function inCapitals(signer: Signer): [string, string][] {
  return Object.entries(proofOf(signer)).map(([name, value]) => [name.toUpperCase(), value]);
}

function callCases(signer: Signer): Case[] {
  return [
    ['a proof that is right', callWith(signer), RIGHT],
    ['among other headers', withHeader(signer, 'x-svc-invoke', ['a', 'b']), RIGHT],
    ['names in capitals', callWith(signer, { headers: Object.fromEntries(inCapitals(signer)) }), RIGHT],
    ['pairs of name and value', callWith(signer, { headers: inCapitals(signer) }), RIGHT],
    [
      'one byte of the body changed',
      callWith(signer, { body: Buffer.from('{"message":"Grüsse"}\n') }),
      FORGED,
    ],
    ['one byte of the body missing', callWith(signer, { body: Buffer.from('{"message":"Grüße"}') }), FORGED],
    ['its own id in upper case', callWith(signer, { internId: INTERN_ID.toUpperCase() }), RIGHT],
    ['another intern', callWith(signer, { internId: INTERN_ID.replace('6', '7') }), FORGED],
    ['another user', withHeader(signer, USER_HEADER, `${USER.slice(0, -1)}n`), FORGED],
    ['a second later', withHeader(signer, TIMESTAMP, `${NOW + 1}`), FORGED],
    ['a second earlier', withHeader(signer, TIMESTAMP, `${NOW - 1}`), FORGED],
  ];
}

function clockCases(signer: Signer): Case[] {
  return [
    ['300 seconds old', callWith(signer, { now: NOW + 300 }), RIGHT],
    ['301 seconds old', callWith(signer, { now: NOW + 301 }), EXPIRED],
    ['300.5 seconds old', callWith(signer, { now: NOW + 300.5 }), EXPIRED],
    ['300 seconds early', callWith(signer, { now: NOW - 300 }), RIGHT],
    ['301 seconds early', callWith(signer, { now: NOW - 301 }), { reason: 'early' }],
    ['a narrower window', callWith(signer, { now: NOW + 11, windowSeconds: 10 }), EXPIRED],
    ['a wider window', callWith(signer, { now: NOW + 301, windowSeconds: 400 }), RIGHT],
    ['a window that is not a number', callWith(signer, { windowSeconds: NaN }), EXPIRED],
    ['a clock that is not a number', callWith(signer, { now: NaN }), EXPIRED],
  ];
}

function keyCases(signer: Signer): Case[] {
  const key = signer.jwk as { x: string };
  return [
    ['no keys', callWith(signer, { keys: [] }), FORGED],
    ['another key', callWith(signer, { keys: [makeSigner().jwk] }), FORGED],
    ['the second of two keys', callWith(signer, { keys: [makeSigner().jwk, signer.jwk] }), RIGHT],
    [
      'beside keys of other kinds',
      callWith(signer, {
        keys: [
          null,
          'key',
          {},
          { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
          { ...key, x: 'AA' },
          { ...key, x: 1 },
          key,
        ],
      }),
      RIGHT,
    ],
    [
      'a key that is no point of the curve',
      callWith(signer, { keys: [{ ...key, x: `Ag${'A'.repeat(41)}` }] }),
      FORGED,
    ],
    ['the key under another curve', callWith(signer, { keys: [{ ...key, crv: 'X25519' }] }), FORGED],
  ];
}

function headerCases(signer: Signer): Case[] {
  const headers = proofOf(signer);
  const without = (name: string): VerifierCall => {
    const { [name]: _, ...others } = headers;
    return callWith(signer, { headers: others });
  };
  return [
    ['no signature', without(SIGNATURE), MALFORMED],
    ['no timestamp', without(TIMESTAMP), MALFORMED],
    ['no user', without(USER_HEADER), MALFORMED],
    ['no headers', callWith(signer, { headers: {} }), MALFORMED],
    ['a list of one signature', withHeader(signer, SIGNATURE, [headers[SIGNATURE]]), MALFORMED],
    ['two users in a list', withHeader(signer, USER_HEADER, [USER, USER]), MALFORMED],
    ['two users joined, as Node does', withHeader(signer, USER_HEADER, `${USER}, ${USER}`), MALFORMED],
    ['a header in two spellings', withHeader(signer, 'X-Svc-Invoke-User', USER), MALFORMED],
    [
      'a header twice',
      callWith(signer, { headers: [...inCapitals(signer), [USER_HEADER, USER]] }),
      MALFORMED,
    ],
  ];
}

function signatureCases(signer: Signer): Case[] {
  const signature = proofOf(signer)[SIGNATURE]!;
  return [
    ['a signature without padding', withHeader(signer, SIGNATURE, signature.slice(0, -2)), MALFORMED],
    ['a signature in base64url', withHeader(signer, SIGNATURE, `-_${signature.slice(2)}`), MALFORMED],
    ['a signature that is too short', withHeader(signer, SIGNATURE, 'AAAA'), MALFORMED],
    ['another text of the same signature', withHeader(signer, SIGNATURE, otherText(signature)), MALFORMED],
    ['a line break after the signature', withHeader(signer, SIGNATURE, `${signature}\n`), MALFORMED],
    [
      'a signature whose second half is not reduced',
      withHeader(signer, SIGNATURE, unreduced(signature)),
      FORGED,
    ],
  ];
}

function timestampCases(signer: Signer): Case[] {
  return [
    ['a timestamp with a leading zero', withHeader(signer, TIMESTAMP, `0${NOW}`), MALFORMED],
    ['a timestamp with a fraction', withHeader(signer, TIMESTAMP, `${NOW}.0`), MALFORMED],
    ['a timestamp with a sign', withHeader(signer, TIMESTAMP, `+${NOW}`), MALFORMED],
    ['a timestamp in other digits', withHeader(signer, TIMESTAMP, '1٧٩٠٠٠٠٠٠٠'), MALFORMED],
    ['a timestamp that is a number', withHeader(signer, TIMESTAMP, NOW), MALFORMED],
  ];
}

function userCases(signer: Signer): Case[] {
  return [
    ['an empty user', withHeader(signer, USER_HEADER, ''), MALFORMED],
    ['a user with a space', withHeader(signer, USER_HEADER, 'alice smith'), MALFORMED],
    ['a user with a line break', withHeader(signer, USER_HEADER, `${USER}\n`), MALFORMED],
    ['a user beyond ASCII', withHeader(signer, USER_HEADER, 'älice'), MALFORMED],
    ['a user of 256 characters', withHeader(signer, USER_HEADER, 'a'.repeat(256)), MALFORMED],
    [
      'a user of 255 characters',
      callWith(signer, { headers: proofOf(signer, { user: 'a'.repeat(255) }) }),
      { user: 'a'.repeat(255), time: NOW },
    ],
  ];
}

/** Sets a bit of the text that stands for no bit of the signature. */
function otherText(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(signature[85]!);
  return `${signature.slice(0, 85)}${alphabet[last + 1]}==`;
}

/** Adds the order of the base point to the second half, which satisfies the equation of the signature too. */
function unreduced(signature: string): string {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const bytes = Buffer.from(signature, 'base64');
  const half = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const larger = Buffer.from(half.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), larger]).toString('base64');
}
