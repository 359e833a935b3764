import { expect, test } from '@jest/globals';
import {
  daemonKeyStates,
  KEYS_CACHED_SECONDS,
  ROTATION_DELAY_MS,
  signingPlace,
  usableDaemonKeys,
} from '../../../domain/interns/daemon-key.ts';

const NOW = Date.UTC(2026, 10, 23);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const key = (kid: string, fromMs: number, withdrawnAt: Date | null = null) => ({
  kid,
  signsFrom: new Date(NOW + fromMs),
  withdrawnAt,
});

test('the newest due key signs, and its predecessor stays published for one day more', () => {
  const keys = [
    key('next', 10 * MINUTE),
    key('signs', 0),
    key('before', -DAY),
    key('long before', -DAY - 1),
    key('oldest', -2 * DAY),
  ];
  const usable = usableDaemonKeys(keys);
  expect(usable.map(({ kid }) => kid)).toEqual(['oldest', 'long before', 'before', 'signs', 'next']);
  expect(daemonKeyStates(usable, NOW)).toEqual([
    { kind: 'gone' },
    // The key after it began to sign exactly a day ago.
    { kind: 'gone' },
    { kind: 'retires', until: new Date(NOW + DAY) },
    { kind: 'signs' },
    { kind: 'waits', from: new Date(NOW + 10 * MINUTE) },
  ]);
});

test('a key is published until its successor has signed for 24 hours', () => {
  const usable = usableDaemonKeys([key('old', -7 * DAY), key('successor', 0)]);
  const stateOfOldAt = (ms: number) => daemonKeyStates(usable, NOW + ms)[0];
  const retires = { kind: 'retires', until: new Date(NOW + DAY) };
  expect(stateOfOldAt(-SECOND)).toEqual({ kind: 'signs' });
  expect(stateOfOldAt(0)).toEqual(retires);
  expect(stateOfOldAt(DAY - SECOND)).toEqual(retires);
  expect(stateOfOldAt(DAY + SECOND)).toEqual({ kind: 'gone' });
});

test('a new key signs only after every cached copy of the published keys has expired', () => {
  expect(KEYS_CACHED_SECONDS).toBe(300);
  // Twice: a verifier that could not read the keys once still has them in time.
  expect(ROTATION_DELAY_MS).toBeGreaterThanOrEqual(2 * KEYS_CACHED_SECONDS * SECOND);
});

test('two rotations in a row publish both new keys, each with its own start', () => {
  const usable = usableDaemonKeys([key('second', 10 * MINUTE), key('signs', -DAY), key('first', 4 * MINUTE)]);
  const kindsAt = (ms: number) => daemonKeyStates(usable, NOW + ms).map(({ kind }) => kind);
  expect(usable.map(({ kid }) => kid)).toEqual(['signs', 'first', 'second']);
  expect(kindsAt(4 * MINUTE - SECOND)).toEqual(['signs', 'waits', 'waits']);
  expect(kindsAt(4 * MINUTE)).toEqual(['retires', 'signs', 'waits']);
  expect(kindsAt(10 * MINUTE)).toEqual(['retires', 'retires', 'signs']);
  // The first one signed for six minutes. It stays published for a day after that.
  expect(kindsAt(DAY + 10 * MINUTE - SECOND)).toEqual(['gone', 'retires', 'signs']);
});

test('a withdrawn key is removed from the usable keys', () => {
  const usable = usableDaemonKeys([key('leaked', -MINUTE, new Date(NOW)), key('new', 0)]);
  expect(usable.map(({ kid }) => kid)).toEqual(['new']);
});

test('the earliest key signs when a slow clock says that no key is due', () => {
  const usable = usableDaemonKeys([key('later', 10 * MINUTE), key('first', 1)]);
  expect(usable[signingPlace(usable, NOW)]!.kid).toBe('first');
  expect(daemonKeyStates(usable, NOW).map(({ kind }) => kind)).toEqual(['signs', 'waits']);
});

test('keys with the same start time have the same order in every process', () => {
  const keys = [key('b', 0), key('a', 0)];
  expect(usableDaemonKeys(keys)).toEqual(usableDaemonKeys(keys.toReversed()));
});
