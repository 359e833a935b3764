import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi } from '../../api/start-api.ts';
import { createLogger } from '../../platform/logger.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { makePreset } from '../support/presets.ts';
import { askChat, generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReplica } from '../support/replica.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.close());

const STREAMS = 20;

test.each([
  ['before its streams are over', { kind: 'hang-stream', events: 2 } as const],
  ['while its streams wait for an upstream', { kind: 'hang', on: 'chat' } as const],
])('a process that stops %s has all of them in the ledger', async (_, fault) => {
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
    expect(await ledgerRow(gateway, id)).toMatchObject({ status: 'cancelled', streamed: true });
});

test('a request that still runs when the ledger closes has its row in the ledger', async () => {
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
