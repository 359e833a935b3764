import { expect, test } from '@jest/globals';
import { createNudger } from '../../../services/broadcast/nudger.ts';

const idleDestinations = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    destinationId: `destination-${n}`,
    organizationId: 'organization',
    workspaceId: 'workspace',
    type: 'webhook' as const,
  }));

/** Nudges ten idle destinations; tells which ones were tried, and what was logged. */
async function nudgeTen(fails: (destinationId: string) => boolean) {
  const tried: string[] = [];
  const warnings: unknown[] = [];
  const nudger = createNudger({
    store: { idleOf: async () => idleDestinations(10), find: async () => null },
    runs: {
      nudgeBroadcast: async ({ destinationId }) => {
        tried.push(destinationId);
        if (fails(destinationId)) throw new Error('refused');
      },
      wakeBroadcast: async () => {},
      interruptBroadcast: async () => {},
    },
    logger: { warn: (facts: unknown) => warnings.push(facts) },
  });
  nudger.noteLogged(['workspace']);
  await nudger.close();
  return { tried, warnings };
}

test('a destination that cannot be nudged does not stop the nudges of others', async () => {
  const { tried, warnings } = await nudgeTen((id) => id === 'destination-3');
  expect(tried).toHaveLength(10);
  expect(warnings).toHaveLength(1);
});

test('a group of eight failed nudges leaves the other destinations to the sweep', async () => {
  const { tried, warnings } = await nudgeTen(() => true);
  expect(tried).toHaveLength(8);
  expect(warnings).toHaveLength(1);
});

test('the run of a deleted destination is interrupted and not started again', async () => {
  const signals: string[] = [];
  const [known] = idleDestinations(1);
  const nudger = createNudger({
    store: { idleOf: async () => [], find: async (id) => (id === known!.destinationId ? known! : null) },
    runs: {
      nudgeBroadcast: async () => {},
      wakeBroadcast: async ({ destinationId }) => void signals.push(`wake ${destinationId}`),
      interruptBroadcast: async (destinationId) => void signals.push(`interrupt ${destinationId}`),
    },
    logger: { warn: (facts: unknown) => void signals.push(`warning ${String(facts)}`) },
  });
  nudger.wake(known!.destinationId);
  nudger.wake('deleted');
  await nudger.close();
  expect(signals.toSorted()).toEqual(['interrupt deleted', `wake ${known!.destinationId}`]);
});
