import { expect, test } from '@jest/globals';
import { daemonOperations } from '../../contract/interns/daemon.ts';
import {
  callWith,
  INTERN_ID,
  makeSigner,
  NOW,
  proofOf,
  type RunVerifier,
  type Signer,
  USER,
  type VerifierCall,
  type WireVerdict,
} from './invocations.ts';

const RIGHT = { user: USER, time: NOW };
const SIGNATURE = 'x-svc-invoke-signature';
const TIMESTAMP = 'x-svc-invoke-timestamp';
const USER_HEADER = 'x-svc-invoke-user';

type Case = [what: string, call: VerifierCall, expected: WireVerdict];

/** Holds one verifier to what docs/daemon.md promises of both. */
export function testVerifier(run: RunVerifier): void {
  test('accepts the example of the API description with the key beside it', async () => {
    const { signDaemonRequest, getDaemonKeys } = daemonOperations;
    const { example } = signDaemonRequest.responses[200];
    const call = {
      headers: example,
      body: Buffer.from('{"message":"Good morning"}').toString('base64'),
      internId: INTERN_ID,
      keys: [...getDaemonKeys.responses[200].example.keys],
      now: 1_795_392_000,
    };
    const { verdicts } = await run([call]);
    expect(verdicts).toEqual([{ user: 'alice@example.com', time: 1_795_392_000 }]);
  });

  test('accepts what the key signed and refuses anything else, with its reason', async () => {
    const cases = casesOf(makeSigner());
    const { verdicts, remembered } = await run(cases.map(([, call]) => call));
    const table = cases.map(([what], place) => ({ what, verdict: verdicts[place] }));
    expect(table).toEqual(cases.map(([what, , verdict]) => ({ what, verdict })));
    expect(remembered).toBe(0);
  });

  test('refuses a signature in which any one bit is changed', async () => {
    const signer = makeSigner();
    const headers = proofOf(signer);
    const bytes = Buffer.from(headers[SIGNATURE]!, 'base64');
    const calls = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      return callWith(signer, { headers: { ...headers, [SIGNATURE]: changed.toString('base64') } });
    });
    const { verdicts } = await run(calls);
    expect(verdicts).toEqual(calls.map(() => ({ reason: 'forged' })));
  });

  test('accepts signatures of many keys over bodies of many sizes', async () => {
    const calls = Array.from({ length: 50 }, (_, n) => {
      const signer = makeSigner();
      const body = Buffer.alloc(n * 37, n);
      return callWith(signer, { headers: proofOf(signer, { body }), body });
    });
    const { verdicts } = await run(calls);
    expect(verdicts).toEqual(calls.map(() => RIGHT));
  });

  test('refuses a proof that it accepted before, and remembers it for twice the window', async () => {
    const signer = makeSigner();
    const call = callWith(signer, { remembers: true });
    const early = { ...call, headers: proofOf(signer, { timestamp: NOW + 300 }) };
    const next = (seconds: number): VerifierCall => {
      const now = NOW + seconds;
      return { ...call, now, headers: proofOf(signer, { timestamp: now }) };
    };
    const replayed = { reason: 'replayed' };
    expect(await run([call, call, { ...call, now: NOW + 300 }])).toEqual({
      verdicts: [RIGHT, replayed, replayed],
      remembered: 1,
    });
    const another = { ...call, headers: proofOf(signer, { user: 'bob' }) };
    expect(await run([call, another, call, another])).toEqual({
      verdicts: [RIGHT, { user: 'bob', time: NOW }, replayed, replayed],
      remembered: 2,
    });
    expect(await run([call, early, next(600), { ...early, now: NOW + 600 }])).toMatchObject({
      verdicts: [RIGHT, { time: NOW + 300 }, { time: NOW + 600 }, replayed],
      remembered: 3,
    });
    expect(await run([call, early, next(601)])).toMatchObject({ remembered: 2 });
    expect(await run([call, early, next(901)])).toMatchObject({ remembered: 1 });
  });

  test('accepts no proof twice when its clock jumps ahead and comes back', async () => {
    const signer = makeSigner();
    const call = callWith(signer, { remembers: true });
    const at = (seconds: number, clock = seconds): VerifierCall => ({
      ...call,
      headers: proofOf(signer, { timestamp: NOW + seconds }),
      now: NOW + clock,
    });
    const calls = [at(0), at(600), at(0, 10), at(601), at(0, 10), at(1, 10)];
    const { verdicts } = await run(calls);
    expect(verdicts.map((verdict) => ('reason' in verdict ? verdict.reason : 'accepted'))).toEqual([
      'accepted',
      'accepted',
      'replayed',
      'accepted',
      // It is forgotten now, so it is too old.
      'expired',
      'accepted',
    ]);
  });

  test('accepts no proof twice, however its clock jumps', async () => {
    const signer = makeSigner();
    const proofs = Array.from({ length: 8 }, (_, n) => proofOf(signer, { timestamp: NOW + n * 250 }));
    const clocks = Array.from({ length: 24 }, (_, n) => NOW + ((n * 7) % 24) * 90);
    const calls = clocks.flatMap((now) =>
      proofs.map((headers) => callWith(signer, { headers, now, remembers: true })),
    );
    const { verdicts } = await run(calls);
    const accepted = verdicts.flatMap((verdict) => ('time' in verdict ? [verdict.time] : []));
    expect(accepted.length).toBeGreaterThan(3);
    expect(new Set(accepted).size).toBe(accepted.length);
  });

  test('remembers nothing of a proof that is wrong', async () => {
    const signer = makeSigner();
    const wrong = callWith(signer, { remembers: true, internId: 'another' });
    expect(await run([wrong, { ...wrong, internId: INTERN_ID }])).toEqual({
      verdicts: [{ reason: 'forged' }, RIGHT],
      remembered: 1,
    });
  });

  test('uses the computer’s clock when no time is given', async () => {
    const signer = makeSigner();
    const { now: _, ...call } = callWith(signer);
    const timestamp = Math.floor(Date.now() / 1000);
    const { verdicts } = await run([call, { ...call, headers: proofOf(signer, { timestamp }) }]);
    const old = NOW < timestamp ? 'expired' : 'early';
    expect(verdicts).toEqual([{ reason: old }, { user: USER, time: timestamp }]);
  });
}

function casesOf(signer: Signer): Case[] {
  const headers = proofOf(signer);
  const withHeader = (name: string, value: unknown): VerifierCall =>
    callWith(signer, { headers: { ...headers, [name]: value } });
  const without = (name: string): VerifierCall => {
    const { [name]: _, ...others } = headers;
    return callWith(signer, { headers: others });
  };
  const shouted = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toUpperCase(),
    value,
  ]);
  const forged = { reason: 'forged' };
  const malformed = { reason: 'malformed' };
  const signature = headers[SIGNATURE]!;
  const key = signer.jwk as { x: string };
  return [
    ['a proof that is right', callWith(signer), RIGHT],
    ['among other headers', withHeader('x-svc-invoke', ['a', 'b']), RIGHT],
    ['names in capitals', callWith(signer, { headers: Object.fromEntries(shouted) }), RIGHT],
    ['pairs of name and value', callWith(signer, { headers: shouted }), RIGHT],
    [
      'one byte of the body changed',
      callWith(signer, { body: Buffer.from('{"message":"Grüsse"}\n') }),
      forged,
    ],
    ['one byte of the body missing', callWith(signer, { body: Buffer.from('{"message":"Grüße"}') }), forged],
    ['its own id in upper case', callWith(signer, { internId: INTERN_ID.toUpperCase() }), RIGHT],
    ['another intern', callWith(signer, { internId: INTERN_ID.replace('6', '7') }), forged],
    ['another user', withHeader(USER_HEADER, `${USER.slice(0, -1)}n`), forged],
    ['a second later', withHeader(TIMESTAMP, `${NOW + 1}`), forged],
    ['a second earlier', withHeader(TIMESTAMP, `${NOW - 1}`), forged],
    ['300 seconds old', callWith(signer, { now: NOW + 300 }), RIGHT],
    ['301 seconds old', callWith(signer, { now: NOW + 301 }), { reason: 'expired' }],
    ['300.5 seconds old', callWith(signer, { now: NOW + 300.5 }), { reason: 'expired' }],
    ['300 seconds early', callWith(signer, { now: NOW - 300 }), RIGHT],
    ['301 seconds early', callWith(signer, { now: NOW - 301 }), { reason: 'early' }],
    ['a narrower window', callWith(signer, { now: NOW + 11, windowSeconds: 10 }), { reason: 'expired' }],
    ['a wider window', callWith(signer, { now: NOW + 301, windowSeconds: 400 }), RIGHT],
    ['a window that is not a number', callWith(signer, { windowSeconds: NaN }), { reason: 'expired' }],
    ['a clock that is not a number', callWith(signer, { now: NaN }), { reason: 'expired' }],
    ['no keys', callWith(signer, { keys: [] }), forged],
    ['another key', callWith(signer, { keys: [makeSigner().jwk] }), forged],
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
      forged,
    ],
    ['the key under another curve', callWith(signer, { keys: [{ ...key, crv: 'X25519' }] }), forged],
    ['no signature', without(SIGNATURE), malformed],
    ['no timestamp', without(TIMESTAMP), malformed],
    ['no user', without(USER_HEADER), malformed],
    ['no headers', callWith(signer, { headers: {} }), malformed],
    ['a list of one signature', withHeader(SIGNATURE, [signature]), malformed],
    ['two users in a list', withHeader(USER_HEADER, [USER, USER]), malformed],
    ['two users joined, as Node does', withHeader(USER_HEADER, `${USER}, ${USER}`), malformed],
    ['a header in two spellings', withHeader('X-Svc-Invoke-User', USER), malformed],
    ['a header twice', callWith(signer, { headers: [...shouted, [USER_HEADER, USER]] }), malformed],
    ['a signature without padding', withHeader(SIGNATURE, signature.slice(0, -2)), malformed],
    ['a signature in base64url', withHeader(SIGNATURE, `-_${signature.slice(2)}`), malformed],
    ['a signature that is too short', withHeader(SIGNATURE, 'AAAA'), malformed],
    ['another text of the same signature', withHeader(SIGNATURE, otherText(signature)), malformed],
    ['a line break after the signature', withHeader(SIGNATURE, `${signature}\n`), malformed],
    ['a timestamp with a leading zero', withHeader(TIMESTAMP, `0${NOW}`), malformed],
    ['a timestamp with a fraction', withHeader(TIMESTAMP, `${NOW}.0`), malformed],
    ['a timestamp with a sign', withHeader(TIMESTAMP, `+${NOW}`), malformed],
    ['a timestamp in other digits', withHeader(TIMESTAMP, '1٧٩٠٠٠٠٠٠٠'), malformed],
    ['a timestamp that is a number', withHeader(TIMESTAMP, NOW), malformed],
    ['an empty user', withHeader(USER_HEADER, ''), malformed],
    ['a user with a space', withHeader(USER_HEADER, 'alice smith'), malformed],
    ['a user with a line break', withHeader(USER_HEADER, `${USER}\n`), malformed],
    ['a user beyond ASCII', withHeader(USER_HEADER, 'älice'), malformed],
    ['a user of 256 characters', withHeader(USER_HEADER, 'a'.repeat(256)), malformed],
    [
      'a user of 255 characters',
      callWith(signer, { headers: proofOf(signer, { user: 'a'.repeat(255) }) }),
      { user: 'a'.repeat(255), time: NOW },
    ],
    ['a signature whose second half is not reduced', withHeader(SIGNATURE, unreduced(signature)), forged],
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
