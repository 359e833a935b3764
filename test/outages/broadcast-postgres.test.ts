import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bootstrap } from '../../admin/bootstrap.ts';
import { runMigrate } from '../../admin/run-migrate.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { deleteDestination, getDestination, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import {
  attributesOf,
  chat,
  type ChatCaller,
  chats,
  chatsDuring,
  expectForwarded,
} from '../support/forwarding.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type HeldReceiver, startHeldReceiver } from '../support/held-receiver.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import {
  createWorkerProcesses,
  type WorkerProcess,
  type WorkerProcesses,
} from '../support/worker-processes.ts';

/** Longer than the worker waits for an answer of Postgres. */
const SILENCE_MS = 8_000;

let postgres: OwnPostgres;
/** For its upstream, its settings and its Temporal. Its own API answers nobody here. */
let gateway: Gateway;
let spool: string;
let api: ApiProcess;
let caller: ChatCaller;
let manager: Caller;
let workers: WorkerProcesses;

beforeAll(async () => {
  [postgres, gateway, spool] = await Promise.all([
    startOwnPostgres(),
    startGateway({ times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 } }),
    mkdtemp(path.join(tmpdir(), 'sluice-spool-')),
  ]);
  await runMigrate(postgres.url);
  const { apiKey, managementKey } = await bootstrap(postgres.url, gateway.config.encryption, {
    organizationName: 'Outages',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  });
  api = await startApiProcess(gateway, { DATABASE_URL: postgres.url, SPOOL_DIR: spool });
  caller = { origin: api.origin, apiKey };
  manager = createCaller(api.origin, managementKey);
  workers = createWorkerProcesses(gateway);
});

afterAll(async () => {
  await workers.close();
  await api.kill();
  await gateway.close();
  await postgres.close();
  await rm(spool, { recursive: true, force: true });
});

let receiver: Receiver;
let held: HeldReceiver;
let destinationId: string;
let worker: WorkerProcess;

beforeEach(async () => {
  receiver = await startReceiver();
  held = await startHeldReceiver(receiver);
  ({ id: destinationId } = await makeDestination(manager, { config: { url: held.url } }));
});

afterEach(async () => {
  await worker.kill();
  await deleteDestination(manager, destinationId);
  await held.close();
  await receiver.close();
});

const startWorker = async (databaseUrl: string): Promise<void> => {
  worker = await workers.start([], { DATABASE_URL: databaseUrl, DATABASE_STATEMENT_TIMEOUT: '3s' });
};

/** A batch is at the webhook, which does not answer yet, and more generations wait behind it. */
async function holdBatch(): Promise<string[]> {
  const ids = await chats(caller, 3);
  await receiver.next(1);
  return [...ids, ...(await chats(caller, 20))];
}

const upToDate = (delivered: number): Promise<unknown> =>
  eventually('a delivery that is up to date', async () => {
    const { delivery } = await getDestination(manager, destinationId);
    return delivery['backlog'] === 0 && Number(delivery['delivered']) >= delivered ? true : undefined;
  });

describe('a Postgres that is killed under a pump with a backlog', () => {
  const TRACE = { trace_name: 'checkout', team: 'shop' };
  let ids: string[];
  let spooled: string;

  async function spooledBytes(): Promise<number> {
    const sizes = (await readdir(spool)).map(async (name) => (await stat(path.join(spool, name))).size);
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  test('loses no generation, including those answered during the outage', async () => {
    await startWorker(postgres.url);
    ids = await holdBatch();
    await postgres.kill();
    const body = { temperature: 0.5, max_tokens: 50, session_id: 'session-1', trace: TRACE };
    spooled = await chat(caller, body);
    ids.push(spooled, ...(await chats(caller, 5)));
    expect(await spooledBytes()).toBeGreaterThan(0);
    held.release();
    await postgres.restart();
    await expectForwarded(ids, receiver);
    expect(attributesOf(receiver, spooled)).toMatchObject({
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 50,
      'gen_ai.conversation.id': 'session-1',
      'trace.metadata.team': 'shop',
    });
    const last = await chats(caller, 3);
    await expectForwarded(last, receiver);
    await upToDate(ids.length + last.length);
  });
});

describe('a Postgres that falls silent under a pump with a backlog', () => {
  let proxy: TcpProxy;
  beforeEach(async () => {
    proxy = await startTcpProxy(postgres.url);
    await startWorker(proxy.through(postgres.url));
  });
  afterEach(() => proxy.close());

  async function survive(from: Promise<void>, ids: string[]): Promise<void> {
    held.release();
    await from;
    ids.push(...(await chatsDuring(caller, delay(SILENCE_MS))));
    proxy.restoreForNew();
    ids.push(...(await chats(caller, 3)));
    await expectForwarded(ids, receiver);
    await upToDate(ids.length);
  }

  test('loses no generation when the commit of an accepted batch is cut off', async () => {
    const ids = await holdBatch();
    await survive(proxy.cutAfter('update broadcast_cursors c', 'silence'), ids);
  });

  test('loses no generation when the read of the log is cut off', async () => {
    const ids = await holdBatch();
    // The name of a prepared statement. Its text is sent only once a connection.
    await survive(proxy.cutAfter('broadcast-next', 'silence'), ids);
  });
});
