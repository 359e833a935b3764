import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { atTurnEnd } from '../../platform/turn-end.ts';

test('steps of one turn run at its end in order, before other microtasks', async () => {
  const seen: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    await Promise.resolve();
    atTurnEnd(() => {
      seen.push(name);
      queueMicrotask(() => seen.push(`after ${name}`));
    });
  }
  expect(seen).toEqual([]);
  await turn();
  expect(seen).toEqual(['first', 'second', 'third', 'after first', 'after second', 'after third']);
});

test('a step added by another step runs at the end of the next turn', async () => {
  const seen: string[] = [];
  atTurnEnd(() => {
    seen.push('first');
    atTurnEnd(() => void seen.push('second'));
  });
  await turn();
  expect(seen).toEqual(['first']);
  await turn();
  expect(seen).toEqual(['first', 'second']);
});
