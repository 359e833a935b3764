import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { askChat, generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReplica } from '../support/replica.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.close());

const STREAMS = 20;

test('a process that stops before its streams are over has all of them in the ledger', async () => {
  const replica = await startReplica(gateway, ({ http }) => ({ http: { ...http, shutdownGraceMs: 1 } }));
  const caller = createCaller(replica.origin, (await addKey(gateway, { limitNanos: 1_000_000_000n })).token);
  gateway.upstream.addFaults({ kind: 'hang-stream', events: 2, times: STREAMS });
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, () => askChat(gateway, { stream: true }, caller)),
  );
  const ends = streams.map((stream) => stream.text().catch(() => 'cut off'));
  await replica.close();
  expect(await Promise.all(ends)).toEqual(streams.map(() => 'cut off'));

  // Without waiting: whoever stopped it ends the process now.
  const ids = streams.map(generationIdOf);
  const { rows } = await gateway.database.query<{ id: string }>('select id from generations');
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const id of ids)
    expect(await ledgerRow(gateway, id)).toMatchObject({ status: 'cancelled', streamed: true });
});
