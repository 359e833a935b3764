import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type Expiring, Renewed, withoutCredential } from '../../providers/renewed.ts';

const MINUTE_MS = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A source that gives `key-1`, `key-2` and so on, each for an hour, after this time. */
function sourceOf(afterMs = 0) {
  const source = { asked: 0, afterMs, isBroken: false };
  const fetchKey = async (): Promise<Expiring<string>> => {
    const value = `key-${(source.asked += 1)}`;
    await new Promise((resolve) => setTimeout(resolve, source.afterMs));
    if (source.isBroken) throw withoutCredential('unauthorized', new Error('no'));
    return { value, expiresAtMs: Date.now() + 60 * MINUTE_MS };
  };
  return Object.assign(source, { renewed: new Renewed(fetchKey) });
}

/** What a call gets, or the code of its error, after this time. */
async function got({ renewed }: { renewed: Renewed<string> }, afterMs = 0): Promise<string> {
  const answer = renewed.get().catch((error: { code: string }) => error.code);
  await jest.advanceTimersByTimeAsync(afterMs);
  return answer;
}

test('a credential is renewed five minutes before its end, and the replaced one stays known', async () => {
  const source = sourceOf();
  expect(await got(source)).toBe('key-1');
  await jest.advanceTimersByTimeAsync(54 * MINUTE_MS);
  expect([await got(source), source.asked]).toEqual(['key-1', 1]);
  await jest.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect([await got(source), source.asked]).toEqual(['key-1', 2]);
  expect(await got(source)).toBe('key-2');
  expect(source.renewed.recent).toEqual(['key-2', 'key-1']);
});

test('a renewal that fails is repeated after 30 seconds, and reported once the credential has expired', async () => {
  const source = sourceOf();
  await got(source);
  await jest.advanceTimersByTimeAsync(56 * MINUTE_MS);
  source.isBroken = true;
  for (let call = 0; call < 3; call += 1) expect(await got(source)).toBe('key-1');
  expect(source.asked).toBe(2);
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect([await got(source), source.asked]).toEqual(['key-1', 3]);
  await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
  expect(await got(source)).toBe('unauthorized');
  source.isBroken = false;
  expect(await got(source)).toBe('key-5');
});

test('a call waits for ten seconds, and a credential that arrives later serves the next one', async () => {
  const source = sourceOf(12_000);
  expect(await got(source, 10_000)).toBe('overloaded');
  expect([await got(source, 2_000), source.asked]).toEqual(['key-1', 1]);
});

test('a request that never ends counts as lost after a minute, so that the next call asks again', async () => {
  const source = sourceOf(60 * MINUTE_MS);
  expect([await got(source, 10_000), source.asked]).toEqual(['overloaded', 1]);
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  source.afterMs = 0;
  expect([await got(source), source.asked]).toEqual(['key-2', 2]);
});
