import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newGenerationId, newUuid } from '../../domain/ids.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { generationsIn } from '../support/broadcast-scene.ts';
import { makeDestination, updateDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';

interface WireLetter {
  id: string;
  generation_id: string;
  generation_created_at: string;
  reason: string;
  status: number | null;
  died_at: string;
  replay_requested_at: string | null;
}

interface List<Row> {
  data: Row[];
  total_count: number;
}

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['broadcast'] });
  manager = createCaller(gateway.origin, gateway.managementKey);
  const foreign = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
  foreigner = createCaller(gateway.origin, token);
});

afterAll(() => gateway.close());

/** A destination whose workspace has no generations. */
async function quietDestination(fields: object = {}): Promise<string> {
  const { workspaceId } = await addWorkspace(gateway);
  return (await makeDestination(manager, { workspace_id: workspaceId, ...fields })).id;
}

async function listOf<Row>(id: string, list: 'deliveries' | 'dead-letters', query = ''): Promise<List<Row>> {
  const response = await manager.call('GET', `/observability/destinations/${id}/${list}${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as List<Row>;
}

function replay(id: string, body?: object): Promise<Response> {
  return manager.call('POST', `/observability/destinations/${id}/dead-letters/replay`, { body });
}

async function countOf(response: Response): Promise<number> {
  expect(response.status).toBe(202);
  return ((await response.json()) as { data: { count: number } }).data.count;
}

async function addAttempts(id: string, count: number): Promise<void> {
  await gateway.database.query(
    `insert into broadcast_attempts (destination_id, at, outcome, events, bytes, status, reason, response_excerpt, took_ms)
     select $1, now() - n * interval '1 minute', 'failed', n, 100 + n, 503, 'The tool answered 503.', 'busy', 10 * n
     from generate_series(1, $2) n`,
    [id, count],
  );
}

/** Dead letters with sealed content, those at the end oldest. Returns their ids. */
async function addLetters(id: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newUuid);
  for (const [n, deadLetterId] of ids.entries()) {
    await gateway.database.query(
      `insert into broadcast_dead_letters
         (id, destination_id, created_at, generation_id, facts, content_sealed, reason, status, died_at)
       values ($1, $2, '2026-01-01T00:00:00Z', $3, '{"trace":{"team":"hidden"}}', 'hidden', 'Refused.', 400,
         now() - $4 * interval '1 minute')`,
      [deadLetterId, id, newGenerationId(Date.now()), n],
    );
  }
  return ids;
}

describe('the deliveries of a destination', () => {
  test('show its attempts, the newest first, page by page', async () => {
    const id = await quietDestination();
    await addAttempts(id, 3);
    await addAttempts(await quietDestination(), 1);
    const all = await listOf<{ at: string; events: number }>(id, 'deliveries');
    expect(all.total_count).toBe(3);
    expect(all.data.map(({ events }) => events)).toEqual([1, 2, 3]);
    expect(all.data[0]).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      outcome: 'failed',
      events: 1,
      bytes: 101,
      status: 503,
      reason: 'The tool answered 503.',
      response_excerpt: 'busy',
      took_ms: 10,
    });
    expect(await listOf(id, 'deliveries', '?limit=1&offset=1')).toEqual({
      data: [all.data[1]],
      total_count: 3,
    });
    expect((await listOf(id, 'deliveries', '?offset=3')).data).toEqual([]);
  });

  test('show fifty attempts a page by default', async () => {
    const id = await quietDestination();
    await addAttempts(id, 51);
    expect((await listOf(id, 'deliveries')).data).toHaveLength(50);
    expect((await listOf(id, 'deliveries', '?limit=100')).data).toHaveLength(51);
  });
});

describe('the dead letters of a destination', () => {
  test('omit their content, and the latest one comes first', async () => {
    const id = await quietDestination();
    const ids = await addLetters(id, 3);
    await addLetters(await quietDestination(), 1);
    const all = await listOf<WireLetter>(id, 'dead-letters');
    expect([all.data.map((deadLetter) => deadLetter.id), all.total_count]).toEqual([ids, 3]);
    expect(all.data[0]).toEqual({
      id: ids[0],
      generation_id: expect.stringMatching(/^gen-/),
      generation_created_at: '2026-01-01T00:00:00.000Z',
      reason: 'Refused.',
      status: 400,
      died_at: expect.stringMatching(/^\d{4}-.*Z$/),
      replay_requested_at: null,
    });
    expect(JSON.stringify(all)).not.toContain('hidden');
    expect((await listOf(id, 'dead-letters', '?limit=1&offset=2')).data).toEqual([all.data[2]]);
  });

  test.each(['limit=0', 'limit=101', 'offset=-1', 'limit=x'])(
    'answer 400 to %s, like the deliveries',
    async (query) => {
      const id = await quietDestination();
      for (const list of ['deliveries', 'dead-letters']) {
        const response = await manager.call('GET', `/observability/destinations/${id}/${list}?${query}`);
        expect((await errorOf(response)).code).toBe(400);
      }
    },
  );
});

describe('a replay of dead letters', () => {
  test('sends refused generations again, and deletes the dead letters after the delivery', async () => {
    const receiver = await startReceiver({ status: 400, body: 'no such field' });
    const { id } = await makeDestination(manager, {
      workspace_id: gateway.workspaceId,
      config: { url: receiver.url },
    });
    const { id: generationId } = await completed(await askChat(gateway, {}));
    const [deadLetter] = await eventually('a dead letter', async () => {
      const { data } = await listOf<WireLetter>(id, 'dead-letters');
      return data.length === 1 ? data : undefined;
    });
    expect(deadLetter).toMatchObject({ generation_id: generationId, status: 400, replay_requested_at: null });
    // Filters that were edited since then do not count.
    await updateDestination(manager, id, {
      filter_rules: { groups: [{ rules: [{ field: 'model', operator: 'equals', value: 'none' }] }] },
    });
    receiver.answers.splice(0, 1, { status: 200, body: 'taken' });
    const before = receiver.received.length;
    expect(await countOf(await replay(id))).toBe(1);
    await receiver.next(before + 1);
    expect(generationsIn(receiver.received.at(-1)!.body)).toEqual([generationId]);
    await eventually('no dead letter', async () =>
      (await listOf(id, 'dead-letters')).total_count === 0 ? true : undefined,
    );
    const { data } = await listOf(id, 'deliveries');
    expect(data[0]).toMatchObject({
      outcome: 'delivered',
      events: 1,
      status: 200,
      response_excerpt: 'taken',
    });
    await receiver.close();
  });

  test('takes every dead letter of the destination, and none of another', async () => {
    const [id, other] = [await quietDestination(), await quietDestination()];
    await addLetters(id, 3);
    await addLetters(other, 1);
    expect(await countOf(await replay(id, {}))).toBe(3);
    const isAsked = ({ replay_requested_at: at }: WireLetter): boolean => at !== null;
    expect((await listOf<WireLetter>(other, 'dead-letters')).data.some(isAsked)).toBe(false);
  });

  test('takes each dead letter that it names once', async () => {
    const id = await quietDestination();
    const [first, second] = (await addLetters(id, 3)) as [string, string];
    const [foreign] = (await addLetters(await quietDestination(), 1)) as [string];
    const ids = [first, second.toUpperCase(), first, foreign, newUuid()];
    expect(await countOf(await replay(id, { ids }))).toBe(2);
    expect(await countOf(await replay(id, { ids: [newUuid()] }))).toBe(0);
  });

  test('takes those since a moment only, as the list with this moment shows them', async () => {
    const id = await quietDestination();
    const letters = await addLetters(id, 3);
    const [, second] = (await listOf<WireLetter & { died_at: string }>(id, 'dead-letters')).data;
    const since = second!.died_at;
    const shown = await listOf<WireLetter>(id, 'dead-letters', `?since=${since}`);
    expect([shown.total_count, shown.data.map((letter) => letter.id)]).toEqual([2, letters.slice(0, 2)]);
    expect(await countOf(await replay(id, { since }))).toBe(2);
    expect(await countOf(await replay(id, { since, ids: [letters[2]] }))).toBe(0);
    const asked = (await listOf<WireLetter>(id, 'dead-letters')).data.map(
      ({ replay_requested_at: at }) => at !== null,
    );
    expect(asked).toEqual([true, true, false]);
  });

  test('answers 409 destination_disabled if the destination is disabled', async () => {
    const id = await quietDestination({ enabled: false });
    await addLetters(id, 1);
    const { code, message, metadata } = await errorOf(await replay(id));
    expect([code, metadata.reason, metadata.retryable]).toEqual([409, 'destination_disabled', false]);
    expect(message).toBe('The destination is disabled. Enable it first, then send its dead letters again.');
    expect((await listOf<WireLetter>(id, 'dead-letters')).data[0]).toMatchObject({
      replay_requested_at: null,
    });
  });

  test.each([
    [{ ids: [] }, 'body.ids'],
    [{ ids: ['x'] }, 'body.ids.0'],
    [{ ids: Array.from({ length: 101 }, newUuid) }, 'body.ids'],
    [{ ids: 'all' }, 'body.ids'],
  ])('answers 400 to an invalid list of ids: %#', async (body, path) => {
    const { code, metadata } = await errorOf(await replay(await quietDestination(), body));
    expect([code, metadata.issues!.map((issue) => issue.path)]).toEqual([400, [path]]);
  });

  test('adds a row to the audit log, and none if it is refused', async () => {
    const id = await quietDestination();
    await replay(id);
    await updateDestination(manager, id, { enabled: false });
    await replay(id);
    const rows = await auditRows(gateway, `observability/destinations/${id}`);
    expect(rows.map(({ action }) => action)).toEqual([
      'createObservabilityDestination',
      'replayObservabilityDeadLetters',
      'updateObservabilityDestination',
    ]);
    expect(rows.every((row) => row.key_hash !== null && row.request_id !== null)).toBe(true);
  });
});

test('an unknown, foreign or malformed destination id answers the same 404 everywhere', async () => {
  const theirs = await makeDestination(foreigner);
  const requests: [method: string, path: string, body?: object][] = [
    ['POST', 'test'],
    ['GET', 'deliveries'],
    ['GET', 'dead-letters'],
    ['POST', 'dead-letters/replay'],
    ['POST', 'dead-letters/replay', { ids: [newUuid()] }],
  ];
  for (const [method, path, body] of requests) {
    const ask = async (id: string) =>
      visibleParts(await manager.call(method, `/observability/destinations/${id}/${path}`, { body }));
    const missing = await ask(newUuid());
    expect(missing.status).toBe(404);
    for (const id of [theirs.id, 'x', '%00']) expect(await ask(id)).toEqual(missing);
  }
});
