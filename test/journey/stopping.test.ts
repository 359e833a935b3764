import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi } from '../../api/start-api.ts';
import { createLogger } from '../../platform/logger.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { makePreset } from '../support/presets.ts';
import { askChat, generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { SMALL } from '../support/images.ts';
import { startReplica } from '../support/replica.ts';
import { priceOf } from '../support/speech.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const STREAMS = 20;
const ECHO = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello there' }] };
const IMAGE = { model: 'local/image-1', prompt: 'A lighthouse', size: SMALL };
const SPEECH = { model: 'local/speech-1', input: 'Hello there' };

test.each([
  // What has been sent of each is left to chance.
  ['before its streams are over', { kind: 'hang-stream', events: 2 } as const, expect.any(String)],
  ['while its streams wait for an upstream', { kind: 'hang', on: 'chat' } as const, '0'],
])('a process that stops %s writes all of them to the ledger', async (_, fault, cost) => {
  const replica = await startReplica(gateway, ({ http }) => ({
    http: { ...http, shutdownGraceMs: 1, streamHeadersAfterMs: 100 },
  }));
  const { token, keyId } = await addKey(gateway, { limitNanos: 1_000_000_000n });
  const caller = createCaller(replica.origin, token);
  gateway.upstream.addFaults({ ...fault, times: STREAMS });
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, () => askChat(gateway, { stream: true }, caller)),
  );
  const ends = streams.map((stream) => stream.text().catch(() => 'cut off'));
  await replica.close();
  expect(await Promise.all(ends)).toEqual(streams.map(() => 'cut off'));

  // Without waiting: whoever stopped it ends the process now.
  const ids = streams.map(generationIdOf);
  const { rows } = await gateway.database.query<{ id: string }>(
    'select id from generations where key_id = $1',
    [keyId],
  );
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const id of ids)
    expect(await ledgerRow(gateway, id)).toMatchObject({
      status: 'cancelled',
      streamed: true,
      cost_nanos: cost,
    });
});

describe('a request that a stopping process cuts off', () => {
  /** Begins a request at a process of its own, and stops the process once the client has received so much. */
  async function stopAfter(path: string, body: object, fault: FaultInput & { on: string }, received: string) {
    const replica = await startReplica(gateway, ({ http }) => ({ http: { ...http, shutdownGraceMs: 1 } }));
    const { token, keyId } = await addKey(gateway);
    const calls = gateway.upstream.requests(fault.on).length;
    gateway.upstream.addFaults(fault);
    const asked = createCaller(replica.origin, token).call('POST', path, { body });
    asked.catch(() => {});
    await eventually('the upstream at work', async () => gateway.upstream.requests(fault.on)[calls]?.outcome);
    if (received !== '') await readUntil(await asked, received);
    await replica.close();
    await expect(asked.then((response) => response.body!.getReader().read())).rejects.toThrow();
    const { rows } = await gateway.database.query(
      'select status, cost_nanos from generations where key_id = $1',
      [keyId],
    );
    return rows;
  }

  test.each<[string, object, string]>([
    ['/chat/completions', ECHO, 'chat'],
    ['/images', IMAGE, 'images'],
    ['/audio/speech', SPEECH, 'speech'],
  ])('costs nothing before an answer has begun: %s', async (path, body, on) => {
    const rows = await stopAfter(path, body, { kind: 'hang', on } as FaultInput & { on: string }, '');
    expect(rows).toEqual([{ status: 'cancelled', cost_nanos: '0' }]);
  });

  test.each<[string, object, string, number, string, string]>([
    // Seven tokens and one.
    ['/chat/completions', { ...ECHO, stream: true }, 'chat', 2, 'You', '9000'],
    // The prompt and a draft, for which this model charges nothing.
    ['/images', { ...IMAGE, stream: true }, 'images', 1, '\n\n', '3000'],
    // All of the text, and the sound that came: 0.24 seconds.
    ['/audio/speech', SPEECH, 'speech', 1, '\0'.repeat(2), priceOf(11, 0.24)],
  ])('costs what was sent of its stream: %s', async (path, body, on, events, received, costNanos) => {
    const fault = { kind: 'hang-stream', on, events } as FaultInput & { on: string };
    expect(await stopAfter(path, body, fault, received)).toEqual([
      { status: 'cancelled', cost_nanos: costNanos },
    ]);
  });
});

/** Reads a stream until the text has come, and keeps it open. */
async function readUntil(response: Response, text: string): Promise<void> {
  const reader = response.body!.getReader();
  let received = '';
  while (!received.includes(text)) {
    const { value } = await reader.read();
    received += Buffer.from(value!).toString('latin1');
  }
  reader.releaseLock();
}

test('a request that still runs when the ledger closes gets its ledger row', async () => {
  const { http } = gateway.config;
  const config = { ...gateway.config, http: { ...http, shutdownGraceMs: 1 } };
  const { port, shutdownSteps } = await startApi(config, createLogger({ level: 'fatal', name: 'test' }));
  const { slug } = await makePreset(createCaller(gateway.origin, gateway.managementKey));
  const { token, keyId } = await addKey(gateway);
  const obstacle = await gateway.database.connect();
  await obstacle.query('begin');
  await obstacle.query('lock table presets in access exclusive mode');

  const asked = askChat(gateway, { preset: slug }, createCaller(`http://127.0.0.1:${port}`, token));
  const cutOff = expect(asked).rejects.toThrow();
  await eventually('the request reading its preset', async () => {
    const { rowCount } = await gateway.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === 0 ? undefined : true;
  });
  for (const { name, run } of shutdownSteps) {
    const done = run();
    if (name === 'ledger') await obstacle.query('rollback');
    await done;
  }
  await cutOff;
  obstacle.release();
  const { rows } = await gateway.database.query('select status from generations where key_id = $1', [keyId]);
  expect(rows).toEqual([{ status: 'cancelled' }]);
});
