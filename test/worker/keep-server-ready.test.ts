import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { SCHEDULES } from '../../domain/runs.ts';
import { createLogger } from '../../platform/logger.ts';
import { keepServerReady } from '../../worker/keep-server-ready.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { createTestNamespace } from '../support/temporal.ts';

/** The SDK repeats a failed call after a pause, which must not outlive the connection. */
test('a worker that stops while Temporal is away leaves no call behind', async () => {
  const { address, namespace, connection: direct, close } = await createTestNamespace();
  const proxy = await startTcpProxy(`http://${address}`);
  const connection = await Connection.connect({ address: new URL(proxy.through(`http://${address}`)).host });
  const server = await keepServerReady({
    client: new Client({ connection, namespace }),
    connection,
    namespace,
    logger: createLogger({ level: 'fatal', name: 'test' }),
    intervals: { sweepRunMs: 3_600_000, expireMs: 3_600_000 },
    everyMs: 1,
  });
  proxy.cut('refusal');
  await delay(1_000);
  await server.stop();
  await connection.close();
  // What was left behind would throw by now, which fails the suite.
  await delay(5_000);
  await proxy.close();
  const { schedule } = new Client({ connection: direct, namespace });
  for (const id of Object.values(SCHEDULES)) await schedule.getHandle(id).delete();
  expect.assertions(0);
  await close();
});
