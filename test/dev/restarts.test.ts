import { expect, test } from '@jest/globals';
import { createRestarts } from '../../dev/restarts.ts';
import type { SluiceProcess } from '../../dev/stack/sluice-processes.ts';
import { eventually } from '../support/eventually.ts';

test('a process that failed to restart restarts when its code changes again', async () => {
  const said: string[] = [];
  const restarts: SluiceProcess[] = [];
  const onChange = createRestarts({
    async restart(which) {
      if (restarts.push(which) === 1) throw new Error('no memory');
    },
    say: (text) => void said.push(text),
    settleMs: 0,
  });
  const restarted = (count: number): Promise<unknown> =>
    eventually(`${count} restarts`, async () => restarts.length === count || undefined, 5_000);
  onChange(['api', 'worker']);
  await restarted(2);
  onChange(['api']);
  await restarted(3);
  expect(restarts).toEqual(['api', 'worker', 'api']);
  expect(said.filter((text) => text.includes('no memory'))).toHaveLength(1);
});
