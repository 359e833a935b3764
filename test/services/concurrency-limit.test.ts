import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createConcurrencyLimit } from '../../services/concurrency-limit.ts';

const here = new AbortController().signal;
const patient = { maxConcurrent: 2, waitMs: 60_000 };

/** Work that lasts until it is told to end. */
function heldWork(begun: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    end: () => resolve(name),
    work: () => {
      begun.push(name);
      return promise;
    },
  };
}

test('an owner runs two tasks at once, and the next ones in order', async () => {
  const limit = createConcurrencyLimit(patient);
  const begun: string[] = [];
  const held = ['a', 'b', 'c', 'd'].map((name) => heldWork(begun, name));
  const answers = held.map(({ work }) => limit.run('owner', here, work));
  const other = heldWork(begun, 'of another');
  const answer = limit.run('another', here, other.work);
  await turnOfTheLoop();
  expect(begun).toEqual(['a', 'b', 'of another']);
  held[1]?.end();
  await answers[1];
  await turnOfTheLoop();
  expect(begun).toEqual(['a', 'b', 'of another', 'c']);
  for (const one of [...held, other]) one.end();
  expect(await Promise.all([...answers, answer])).toEqual(['a', 'b', 'c', 'd', 'of another']);
});

test('a task that fails frees its place for the next', async () => {
  const limit = createConcurrencyLimit({ ...patient, maxConcurrent: 1 });
  const failing = limit.run('owner', here, () => Promise.reject(new Error('broken')));
  const next = limit.run('owner', here, () => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});

test('a caller who leaves the queue takes no place in it', async () => {
  const limit = createConcurrencyLimit({ ...patient, maxConcurrent: 1 });
  const begun: string[] = [];
  const [first, left, last] = ['first', 'left', 'last'].map((name) => heldWork(begun, name));
  const leaving = new AbortController();
  const answers = [
    limit.run('owner', here, first!.work),
    limit.run('owner', leaving.signal, left!.work),
    limit.run('owner', here, last!.work),
  ];
  leaving.abort();
  await expect(answers[1]).rejects.toMatchObject({ code: 'client_cancelled' });
  await expect(limit.run('owner', leaving.signal, left!.work)).rejects.toMatchObject({
    code: 'client_cancelled',
  });
  first!.end();
  last!.end();
  expect(await answers[2]).toBe('last');
  expect(begun).toEqual(['first', 'last']);
});

test('a caller whose wait runs out gets "timeout", and the queue goes on', async () => {
  const limit = createConcurrencyLimit({ maxConcurrent: 1, waitMs: 1 });
  const begun: string[] = [];
  const [first, late] = ['first', 'late'].map((name) => heldWork(begun, name));
  const answer = limit.run('owner', here, first!.work);
  await expect(limit.run('owner', here, late!.work)).rejects.toMatchObject({ code: 'timeout' });
  first!.end();
  expect(await answer).toBe('first');
  expect(await limit.run('owner', here, () => Promise.resolve('next'))).toBe('next');
  expect(begun).toEqual(['first']);
});
