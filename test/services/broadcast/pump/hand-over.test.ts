import { beforeEach, expect, test } from '@jest/globals';
import { createWakeStore } from '../../../../db/broadcast/wake-store.ts';
import type { Handle } from '../../../support/open-database.ts';
import { createNudger } from '../../../../services/broadcast/nudger.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { eventually } from '../../../support/eventually.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { watched } from '../../../support/handles.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
let id: string;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));
beforeEach(async () => {
  id = await scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });
});

const receivedIds = (): Set<string> => new Set(receiver.received.flatMap(({ body }) => generationsIn(body)));

/** Runs before each statement of a pump, which it counts from zero. */
function handleWith(before: (statement: number) => Promise<void>): Handle {
  let statements = 0;
  return watched(scene.knex, async (_query, run) => {
    await before(statements++);
    return run();
  });
}

/** What the process does that answered a call: it commits, and then looks for idle destinations. */
async function recordAndNudge(): Promise<{ generation: string; isNudged: boolean }> {
  const [generation] = await scene.record(place, 1);
  const idle = await createWakeStore(scene.knex).idleOf([place.workspaceId]);
  return { generation: generation!, isNudged: idle.length > 0 };
}

test('a generation recorded between two statements of a pump is sent or nudged', async () => {
  let total = 0;
  await scene.pump(id, { knex: handleWith(async (statement) => void (total = statement + 1)) });
  // Resting takes two statements at least: saying so, and the last look.
  expect(total).toBeGreaterThan(4);
  let nudged = 0;
  for (let at = 0; at <= total; at += 1) {
    let recorded: Awaited<ReturnType<typeof recordAndNudge>> | undefined;
    const knex = handleWith(async (statement) => {
      if (statement === at) recorded = await recordAndNudge();
    });
    expect(await scene.pump(id, { knex })).toEqual({ kind: 'idle' });
    // The last round records after the pump's last statement.
    recorded ??= await recordAndNudge();
    const { generation, isNudged } = recorded;
    expect([at, receivedIds().has(generation) || isNudged]).toEqual([at, true]);
    nudged += Number(isNudged);
    if (receivedIds().has(generation)) continue;
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(receivedIds()).toContain(generation);
  }
  expect(nudged).toBeGreaterThan(0);
  expect(await createWakeStore(scene.knex).idleOf([place.workspaceId])).toEqual([]);
});

/** One run of a destination at a time, which a nudge starts or keeps from ending, as Temporal does. */
function createRuns(pump: () => Promise<unknown>): { nudge(): Promise<void>; ended(): Promise<void> } {
  let running: Promise<void> | undefined;
  let nudges = 0;
  const run = async (): Promise<void> => {
    for (let seen = -1; seen !== nudges;) {
      seen = nudges;
      await pump();
    }
    running = undefined;
  };
  return {
    async nudge() {
      nudges += 1;
      running ??= run();
    },
    ended: async () => running,
  };
}

/** At least so many statements does a pump make that finds one generation, delivers it and rests. */
const DELIVERING_STATEMENTS = 8;

test('a generation recorded while a pump comes to rest is delivered (40 rounds)', async () => {
  let interrupt = (_statement: number): void => {};
  const runs = createRuns(() =>
    scene.pump(id, { knex: handleWith(async (statement) => interrupt(statement)) }),
  );
  const warnings: unknown[] = [];
  const nudger = createNudger({
    store: createWakeStore(scene.knex),
    runs: { nudgeBroadcast: runs.nudge, wakeBroadcast: runs.nudge, interruptBroadcast: async () => {} },
    logger: { warn: (facts: unknown) => warnings.push(facts) },
    everyMs: 1,
  });
  const record = async (shard: number): Promise<string> => {
    const [generation] = await scene.record(place, 1, {}, shard);
    nudger.noteLogged([place.workspaceId]);
    return generation!;
  };
  for (let round = 0; round < 40; round += 1) {
    // The pump does not wait for the second one: their statements run at the same time.
    const late = new Promise<string>((resolve) => {
      interrupt = (statement) => {
        if (statement < round % DELIVERING_STATEMENTS) return;
        interrupt = () => {};
        resolve(record((round + 1) % 16));
      };
    });
    const first = await record(round % 16);
    const expected = [first, await late];
    await eventually(`the generations of round ${round}`, async () =>
      expected.every((generation) => receivedIds().has(generation)) ? true : undefined,
    );
  }
  await nudger.close();
  await runs.ended();
  expect(warnings).toEqual([]);
  expect(await scene.progress(id)).toMatchObject({ state: 'idle', delivered: 80 });
});
