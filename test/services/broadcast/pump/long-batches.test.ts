import { beforeEach, expect, test } from '@jest/globals';
import { createDeadLetterStore } from '../../../../db/broadcast/dead-letter-store.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
let id: string;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));
beforeEach(async () => {
  id = await scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });
});

const bodies = (): string[] => receiver.received.map(({ body }) => body);

test('privacy mode switched on during a batch holds for its next part', async () => {
  const recorded = await scene.record(place, 4, { broadcast: { hasContent: true } });
  const content = `the secret ${'a'.repeat(1_500_000)}`;
  await scene.addContent(recorded, {
    input: [{ role: 'user', content }],
    output: [],
    outputText: null,
  });
  let lateMs = 0;
  Object.defineProperty(receiver.answers, 0, {
    get: () => {
      lateMs += 2_000;
      return { status: 200 };
    },
  });
  let isEdited = false;
  const report = (doing: string): void => {
    isEdited ||= doing === 'waits for memory' && receiver.received.length === 1;
  };
  const findDestination: typeof scene.deps.findDestination = async (destinationId) => {
    if (isEdited) {
      await scene.database.query(
        'update observability_destinations set privacy_mode = true, updated_at = clock_timestamp() where id = $1 and not privacy_mode',
        [id],
      );
    }
    return scene.deps.findDestination(destinationId);
  };
  const now = (): number => Date.now() + lateMs;
  expect(await scene.pump(id, { findDestination, report, now })).toEqual({ kind: 'idle' });
  expect(bodies().flatMap(generationsIn).sort()).toEqual(recorded);
  expect(bodies().map((body) => body.includes('the secret'))).toEqual([true, false]);
});

test('a dead letter that gets 500 again does not hold up the log', async () => {
  const [guilty] = await scene.record(place, 1);
  Object.defineProperty(receiver.answers, 0, {
    get: () => ({ status: bodies().at(-1)!.includes(guilty!) ? 500 : 200 }),
  });
  for (let attempt = 1; attempt <= 10; attempt += 1) await scene.pump(id);
  expect(await scene.progress(id)).toMatchObject({ dead_letters: 1 });
  const letters = createDeadLetterStore(scene.knex);
  expect(await letters.requestReplay(id)).toBe(1);
  const [next] = await scene.record(place, 1);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(bodies().flatMap(generationsIn)).toContain(next);
  expect(await letters.requested(id, 10)).toEqual([]);
  // It is kept, and may be asked for again.
  expect(await letters.requestReplay(id)).toBe(1);
});
