import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createTurnEnd } from '../../../api/http/turn-end.ts';

test('steps of a turn run at its end, in their order, with nothing between them', async () => {
  const atTurnEnd = createTurnEnd();
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

test('a step that is asked for by another one runs at the end of the next turn', async () => {
  const atTurnEnd = createTurnEnd();
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
