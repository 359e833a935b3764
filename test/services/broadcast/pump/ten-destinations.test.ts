import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type BroadcastScene,
  generationsIn,
  openBroadcastScene,
  type Place,
} from '../../../support/broadcast-scene.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
beforeAll(async () => {
  scene = await openBroadcastScene();
});
afterAll(() => scene.close());

const receivedBy = ({ received }: Receiver): string[] => received.flatMap(({ body }) => generationsIn(body));

/** The ids in the order in which each arrived first. */
const firstArrivals = (receiver: Receiver): string[] => [...new Set(receivedBy(receiver))];

async function addTool(
  place: Place,
  ...answers: Receiver['answers']
): Promise<{ id: string; tool: Receiver }> {
  const tool = await startReceiver(...answers);
  const id = await scene.addDestination(place, {
    type: 'webhook',
    config: { url: tool.url, method: 'POST' },
  });
  return { id, tool };
}

test('six tools stay current beside four broken ones, which later catch up in order', async () => {
  const place = await scene.addWorkspace();
  const ill = [
    await addTool(place, 'silence'),
    await addTool(place, { status: 500 }),
    await addTool(place, (socket) => socket.resetAndDestroy()),
    await addTool(place, (socket) => {
      setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), 700);
    }),
  ];
  const well = await Promise.all(Array.from({ length: 6 }, () => addTool(place)));
  const stop = new AbortController();
  const running = [...ill, ...well].map(({ id }) => scene.pump(id, { idleMs: 60_000, stop: stop.signal }));

  // One shard: its order is the one that is promised.
  const recorded: string[] = [];
  for (let batch = 0; batch < 8; batch += 1) recorded.push(...(await scene.record(place, 5)));
  for (const { tool } of well) {
    await eventually('all generations at a tool that works', async () =>
      receivedBy(tool).length >= recorded.length ? true : undefined,
    );
    expect(receivedBy(tool)).toEqual(recorded);
  }
  stop.abort();
  await Promise.all(running);
  for (const { tool } of ill) tool.answers.splice(0, tool.answers.length, { status: 200 });
  for (const { id } of ill) expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  for (const { id, tool } of ill) {
    expect(firstArrivals(tool)).toEqual(recorded);
    expect(await scene.progress(id)).toMatchObject({ delivered: recorded.length, dead_letters: 0 });
  }
  for (const { tool } of [...ill, ...well]) await tool.close();
});

test('a destination that is far behind does not slow another of its workspace', async () => {
  const place = await scene.addWorkspace();
  const late = await addTool(place);
  await scene.database.query('update observability_destinations set enabled = false where id = $1', [
    late.id,
  ]);
  const old: string[] = [];
  for (let batch = 0; batch < 6; batch += 1) old.push(...(await scene.record(place, 500, {}, batch % 3)));
  const current = await addTool(place);
  const [latest] = await scene.record(place, 1, {}, 9);
  expect(await scene.pump(current.id)).toEqual({ kind: 'idle' });
  expect(receivedBy(current.tool)).toEqual([latest]);
  await scene.database.query('update observability_destinations set enabled = true where id = $1', [late.id]);
  expect(await scene.pump(late.id)).toEqual({ kind: 'idle' });
  expect(new Set(receivedBy(late.tool))).toEqual(new Set([...old, latest]));
  expect(receivedBy(late.tool)).toHaveLength(old.length + 1);
  await late.tool.close();
  await current.tool.close();
});
