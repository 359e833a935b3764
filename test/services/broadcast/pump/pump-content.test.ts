import { describe, expect, test } from '@jest/globals';
import { createDeadLetterStore } from '../../../../db/broadcast/dead-letter-store.ts';
import type { DestinationSettings } from '../../../../domain/broadcast/destination.ts';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import type { FilterRule } from '../../../../domain/broadcast/filter-rules.ts';
import { createContentRoom } from '../../../../services/broadcast/content/content-room.ts';
import { createContentSource } from '../../../../services/broadcast/pump/content-source.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));

const contentOf = (question: string, answer = 'the secret answer'): BroadcastContent => ({
  input: [{ role: 'user', content: question }],
  output: [{ role: 'assistant', content: answer, finish_reason: 'stop' }],
  outputText: answer,
});
const CONTENT = contentOf('the secret question');
const ANNOUNCED = { broadcast: { hasContent: true } };

const addWebhook = (change: Partial<DestinationSettings> = {}): Promise<string> =>
  scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } }, change);

const filterBy = (rule: FilterRule): Partial<DestinationSettings> => ({
  filterRules: { enabled: true, groups: [{ logic: 'and', rules: [rule] }] },
});

const bodies = (): string[] => receiver.received.map(({ body }) => body);

/** Makes the entries in the log of a workspace older. */
async function ageLog({ workspaceId }: Place, seconds: number): Promise<void> {
  const older = `moved_at = moved_at - ${seconds} * interval '1 second'`;
  await scene.database.query(
    `with cursors as (update broadcast_cursors c set ${older} from observability_destinations d
       where d.id = c.destination_id and d.workspace_id = $1)
     update broadcast_log set ${older} where workspace_id = $1`,
    [workspaceId],
  );
}

/** Answers so to each batch that the test wants refused, and otherwise 200. */
function refuse(status: number, isGuilty: (body: string) => boolean): void {
  Object.defineProperty(receiver.answers, 0, {
    get: () => ({ status: isGuilty(bodies().at(-1)!) ? status : 200, body: 'no' }),
  });
}

async function rowsOf(table: string, id: string): Promise<string> {
  const { rows } = await scene.database.query(`select * from ${table} where destination_id = $1`, [id]);
  return JSON.stringify(rows);
}

test('prompt and answer reach the tool under the gen_ai attribute names', async () => {
  const id = await addWebhook();
  await scene.addContent(await scene.record(place, 2, ANNOUNCED), CONTENT);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  const [body] = bodies();
  expect(body).toContain('gen_ai.input.messages');
  expect(body).toContain('the secret question');
  expect(body).toContain('gen_ai.output.messages');
  expect(body).toContain('\\"finish_reason\\":\\"stop\\"');
  expect(await scene.progress(id)).toMatchObject({ delivered: 2, without_content: 0 });
  expect(await rowsOf('broadcast_attempts', id)).not.toContain('secret');
});

describe('a pump that expects announced content', () => {
  test('sends a generation only once its content is stored', async () => {
    const id = await addWebhook();
    const ids = await scene.record(place, 1, ANNOUNCED);
    const reports: string[] = [];
    const pumping = scene.pump(id, {
      contentWaitMs: 30_000,
      report: (doing) => void reports.push(doing),
    });
    while (!reports.includes('waits for prompts and answers')) await new Promise((r) => setImmediate(r));
    expect(bodies()).toEqual([]);
    await scene.addContent(ids, CONTENT);
    expect(await pumping).toEqual({ kind: 'idle' });
    expect(bodies()[0]).toContain('the secret question');
  });

  test('sends a generation without missing content after its time limit, and counts it', async () => {
    const id = await addWebhook();
    const [lost] = await scene.record(place, 1, ANNOUNCED);
    const [kept] = await scene.record(place, 1, ANNOUNCED);
    await scene.addContent([kept!], CONTENT);
    expect(await scene.pump(id, { contentWaitMs: 100 })).toEqual({ kind: 'idle' });
    expect(generationsIn(bodies()[0]!)).toEqual([lost, kept]);
    expect(bodies()[0]!.match(/sluice\.content_dropped/g)).toHaveLength(1);
    expect(await scene.progress(id)).toMatchObject({ delivered: 2, without_content: 1 });
  });

  test.each([
    ['from the entry in the log, which an outage may have delayed', 0, { contentWaitMs: 1_000 }],
    ['a moment when the entry is from an outage', 10, { contentWaitMs: 5_000, lateContentMs: 60_000 }],
  ])('waits %s', async (_, seconds, times) => {
    const id = await addWebhook();
    await scene.record(place, 1, { ...ANNOUNCED, settledAt: new Date(Date.now() - 4_000) });
    await ageLog(place, seconds);
    const reports: string[] = [];
    const report = (doing: string): void => void reports.push(doing);
    expect(await scene.pump(id, { ...times, report })).toEqual({ kind: 'idle' });
    expect(reports).toContain('waits for prompts and answers');
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, without_content: 1 });
  });

  test('sends an entry older than the time limit without a wait', async () => {
    const id = await addWebhook();
    await scene.record(place, 1, { ...ANNOUNCED, settledAt: new Date(Date.now() - 4_000) });
    await ageLog(place, 4);
    // A wait would end with the time limit of the test.
    expect(await scene.pump(id, { contentWaitMs: 1_000, contentPollMs: 60_000 })).toEqual({ kind: 'idle' });
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, without_content: 1 });
  });

  test('sends a generation without content that cannot be decrypted, and counts it', async () => {
    const id = await addWebhook();
    const ids = await scene.record(place, 1, ANNOUNCED);
    await scene.addContent(ids, CONTENT);
    await scene.database.query(`update broadcast_bodies set sealed = 'v1.x.y.z' where generation_id = $1`, [
      ids[0],
    ]);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, without_content: 1 });
  });

  test('hands over without a request when the worker stops', async () => {
    const id = await addWebhook();
    await scene.record(place, 1, ANNOUNCED);
    const stop = new AbortController();
    const report = (doing: string): void => {
      if (doing === 'waits for prompts and answers') stop.abort();
    };
    const times = { contentWaitMs: 60_000, contentPollMs: 60_000 };
    expect(await scene.pump(id, { ...times, stop: stop.signal, report })).toEqual({ kind: 'handed_over' });
    expect(bodies()).toEqual([]);
  });
});

describe('a destination in privacy mode', () => {
  test('receives no content, waits for none, and counts none as dropped', async () => {
    const id = await addWebhook({ privacyMode: true });
    await scene.addContent(await scene.record(place, 1, ANNOUNCED), CONTENT);
    await scene.record(place, 1, ANNOUNCED);
    expect(await scene.pump(id, { contentWaitMs: 60_000 })).toEqual({ kind: 'idle' });
    expect(generationsIn(bodies()[0]!)).toHaveLength(2);
    expect(bodies()[0]).not.toMatch(/secret|content_dropped/);
    expect(await scene.progress(id)).toMatchObject({ delivered: 2, without_content: 0 });
  });

  test('filters by content that it never receives', async () => {
    const rule = filterBy({ field: 'output', operator: 'contains', value: 'yes' });
    const id = await addWebhook({ ...rule, privacyMode: true });
    const [passing] = await scene.record(place, 1, ANNOUNCED);
    const [other] = await scene.record(place, 1, ANNOUNCED);
    await scene.addContent([passing!], contentOf('the secret question', 'a secret yes'));
    await scene.addContent([other!], contentOf('the secret question', 'a secret no'));
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(generationsIn(bodies()[0]!)).toEqual([passing]);
    expect(bodies()[0]).not.toContain('secret');
  });

  test('has no content in its dead letters and their replays', async () => {
    const rule = filterBy({ field: 'input', operator: 'exists' });
    const id = await addWebhook({ ...rule, privacyMode: true });
    await scene.addContent(await scene.record(place, 1, ANNOUNCED), CONTENT);
    refuse(400, () => true);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(await rowsOf('broadcast_dead_letters', id)).toContain('"content_sealed":null');
    refuse(400, () => false);
    expect(await createDeadLetterStore(scene.knex).requestReplay(id)).toBe(1);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(generationsIn(bodies().at(-1)!)).toHaveLength(1);
    expect(bodies().join()).not.toContain('secret');
  });
});

describe('a generation that the tool refuses', () => {
  test('keeps its content encrypted and carries it in a replay', async () => {
    const id = await addWebhook();
    await scene.addContent(await scene.record(place, 1, ANNOUNCED), CONTENT);
    refuse(400, () => true);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    const stored = await rowsOf('broadcast_dead_letters', id);
    expect(stored).toContain('"content_sealed":"v1.');
    expect(stored + (await rowsOf('broadcast_attempts', id))).not.toContain('secret');
    await scene.database.query('delete from broadcast_bodies');
    refuse(400, () => false);
    await createDeadLetterStore(scene.knex).requestReplay(id);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(bodies().at(-1)).toContain('the secret question');
  });

  test('goes without content in a replay once its destination is in privacy mode', async () => {
    const id = await addWebhook();
    await scene.addContent(await scene.record(place, 1, ANNOUNCED), CONTENT);
    refuse(400, () => true);
    await scene.pump(id);
    await scene.database.query(
      'update observability_destinations set privacy_mode = true, updated_at = clock_timestamp() where id = $1',
      [id],
    );
    refuse(400, () => false);
    await createDeadLetterStore(scene.knex).requestReplay(id);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(bodies().at(-1)).not.toContain('secret');
  });

  test('goes without content after 413; its dead letter keeps the content', async () => {
    const id = await addWebhook();
    await scene.addContent(await scene.record(place, 1, ANNOUNCED), CONTENT);
    refuse(413, (body) => body.includes('secret'));
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(bodies().at(-1)).toContain('sluice.content_dropped');
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, without_content: 1, dead_letters: 0 });
    await scene.addContent(await scene.record(place, 1, ANNOUNCED), CONTENT);
    refuse(413, () => true);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(await rowsOf('broadcast_dead_letters', id)).toContain('"content_sealed":"v1.');
  });
});

test('large content goes in several batches, and a failed batch is repeated unchanged', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 6, ANNOUNCED);
  await scene.addContent(recorded, contentOf('a'.repeat(1_500_000)));
  receiver.answers.splice(0, 1, { status: 200 }, { status: 503 }, { status: 200 });
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off' });
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  const batches = bodies().map(generationsIn);
  expect(batches.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
  expect(batches[2]).toEqual(batches[1]);
  expect(new Set(batches.flat())).toEqual(new Set(recorded));
});

test('a pump waits for content room that another workspace holds', async () => {
  const room = createContentRoom(1_000);
  const release = await room.take(900, 'another workspace', new AbortController().signal);
  const content = createContentSource({ ...scene.contentDeps, room });
  const id = await addWebhook();
  await scene.addContent(await scene.record(place, 1, ANNOUNCED), contentOf('q'.repeat(500)));
  const reports: string[] = [];
  const pumping = scene.pump(id, { content, report: (doing) => void reports.push(doing) });
  while (reports.at(-1) !== 'waits for memory') await new Promise((r) => setImmediate(r));
  expect(bodies()).toEqual([]);
  release!();
  expect(await pumping).toEqual({ kind: 'idle' });
  expect(bodies()).toHaveLength(1);
  expect(await room.take(1_000, 'another workspace', new AbortController().signal)).not.toBeNull();
});
