import { expect, test } from '@jest/globals';
import { daemonKeyStates, signingPlace, usableDaemonKeys } from '../../../domain/interns/daemon-key.ts';

const NOW = Date.UTC(2026, 10, 23);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const key = (kid: string, fromMs: number, withdrawnAt: Date | null = null) => ({
  kid,
  signsFrom: new Date(NOW + fromMs),
  withdrawnAt,
});

test('the newest key whose time has come signs, those before it are published for a day more', () => {
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

test('a key that was withdrawn is no key any more', () => {
  const usable = usableDaemonKeys([key('leaked', -MINUTE, new Date(NOW)), key('new', 0)]);
  expect(usable.map(({ kid }) => kid)).toEqual(['new']);
});

test('the next key signs where the time of none has come, by a clock that is behind', () => {
  const usable = usableDaemonKeys([key('later', 10 * MINUTE), key('first', 1)]);
  expect(usable[signingPlace(usable, NOW)]!.kid).toBe('first');
  expect(daemonKeyStates(usable, NOW).map(({ kind }) => kind)).toEqual(['signs', 'waits']);
});

test('all processes agree on the order of keys of the same time', () => {
  const keys = [key('b', 0), key('a', 0)];
  expect(usableDaemonKeys(keys)).toEqual(usableDaemonKeys(keys.toReversed()));
});
