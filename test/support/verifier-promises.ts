import { expect, test } from '@jest/globals';
import { daemonOperations } from '../../contract/interns/daemon.ts';
import {
  callWith,
  INTERN_ID,
  makeSigner,
  NOW,
  proofOf,
  type RunVerifier,
  USER,
  type VerifierCall,
} from './invocations.ts';
import { casesOf, RIGHT, SIGNATURE } from './verifier-cases.ts';

/** Holds one verifier to what docs/daemon.md promises of both. */
export function testVerifier(run: RunVerifier): void {
  testVerdicts(run);
  testMemory(run);
  testClockJumps(run);
}

function testVerdicts(run: RunVerifier): void {
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

  test('uses the computer’s clock when no time is given', async () => {
    const signer = makeSigner();
    const { now: _, ...call } = callWith(signer);
    const timestamp = Math.floor(Date.now() / 1000);
    const { verdicts } = await run([call, { ...call, headers: proofOf(signer, { timestamp }) }]);
    const old = NOW < timestamp ? 'expired' : 'early';
    expect(verdicts).toEqual([{ reason: old }, { user: USER, time: timestamp }]);
  });
}

function testMemory(run: RunVerifier): void {
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

  test('remembers nothing of a proof that is wrong', async () => {
    const signer = makeSigner();
    const wrong = callWith(signer, { remembers: true, internId: 'another' });
    expect(await run([wrong, { ...wrong, internId: INTERN_ID }])).toEqual({
      verdicts: [{ reason: 'forged' }, RIGHT],
      remembered: 1,
    });
  });
}

function testClockJumps(run: RunVerifier): void {
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
}
