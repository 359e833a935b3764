import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import { runMigrate } from '../../admin/run-migrate.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { createCaller } from '../support/caller.ts';
import { copyDatabase } from '../support/copy-database.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { chat, type ChatCaller, chats, chatsDuring, expectForwarded } from '../support/forwarding.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  createWorkerProcesses,
  type WorkerProcess,
  type WorkerProcesses,
} from '../support/worker-processes.ts';

let postgres: OwnPostgres;
let restored: OwnPostgres;
/** For its upstream, its settings and its Temporal. Its own API answers nobody here. */
let gateway: Gateway;
let workers: WorkerProcesses;
let worker: WorkerProcess;
let api: ApiProcess;
let apiKey: string;
let receiver: Receiver;
let destinationId: string;

beforeAll(async () => {
  [postgres, restored, gateway, receiver] = await Promise.all([
    startOwnPostgres(),
    startOwnPostgres(),
    startGateway({ times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 } }),
    startReceiver(),
  ]);
  for (const { url } of [postgres, restored]) await runMigrate(url);
  const account = await bootstrap(postgres.url, gateway.config.encryption, {
    organizationName: 'Restored',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  });
  ({ apiKey } = account);
  workers = createWorkerProcesses(gateway);
  await startProcesses(postgres.url);
  const manager = createCaller(api.origin, account.managementKey);
  ({ id: destinationId } = await makeDestination(manager, { config: { url: receiver.url } }));
});

afterAll(async () => {
  await workers.close();
  await api.kill();
  await gateway.close();
  await postgres.close();
  await restored.close();
  await receiver.close();
});

async function startProcesses(databaseUrl: string): Promise<void> {
  api = await startApiProcess(gateway, { DATABASE_URL: databaseUrl });
  worker = await workers.start([], { DATABASE_URL: databaseUrl });
}

const caller = (): ChatCaller => ({ origin: api.origin, apiKey });

/** Asks a database once. */
async function ask<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  ...values: unknown[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

async function recordedIn(url: string): Promise<string[]> {
  return (await ask<{ id: string }>(url, 'select id from generations')).map(({ id }) => id);
}

/** Resolves when the cursors are at the heads and each generation in the database was counted once. */
async function expectUpToDate(url: string): Promise<void> {
  const recorded = await recordedIn(url);
  await eventually('cursors at the heads', async () => {
    const [state] = await ask<{ behind: number; delivered: number }>(
      url,
      `select (select sum(h.pos - c.pos)::integer from broadcast_cursors c
          join observability_destinations d on d.id = c.destination_id
          join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard
          where c.destination_id = p.destination_id) behind, p.delivered::integer
       from broadcast_progress p where p.destination_id = $1`,
      destinationId,
    );
    return state!.behind === 0 && state!.delivered === recorded.length ? true : undefined;
  });
}

test('a dump taken under load continues at its own positions after a restore', async () => {
  const first = await chats(caller(), 5);
  await expectForwarded(first, receiver);
  receiver.answers.splice(0, 1, { status: 503 });
  const backlog = await chats(caller(), 20);
  await chatsDuring(caller(), copyDatabase(postgres.url, restored.url));
  await worker.kill();
  await api.kill();
  // What was refused has not arrived.
  receiver.received.length = 0;
  receiver.answers.splice(0, 1, { status: 204 });
  const waiting = (await recordedIn(restored.url)).filter((id) => !first.includes(id));
  expect(waiting).toEqual(expect.arrayContaining(backlog));

  await startProcesses(restored.url);
  await expectForwarded([...waiting, ...(await chats(caller(), 5))], receiver);
  await expectUpToDate(restored.url);
});

test('an older state restored under running processes continues at its own positions', async () => {
  const { url } = restored;
  const backup = copyOf(url, 'backup');
  const kept = await chats(caller(), 5);
  await expectForwarded(kept, receiver);
  await alone(url, `create database backup template ledger`);
  await eventually('the API', () => chat(caller()).catch(() => undefined));
  await expectForwarded(await chats(caller(), 20), receiver);
  const before = await recordedIn(backup);
  await alone(url, 'drop database ledger', 'alter database backup rename to ledger');
  const later = await eventually('the API', () => chats(caller(), 5).catch(() => undefined));
  await expectForwarded(later, receiver);
  expect(await recordedIn(url)).toEqual(expect.arrayContaining([...before, ...later]));
  await expectUpToDate(url);
});

function copyOf(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs statements about a database that nobody may be connected to. */
async function alone(url: string, ...statements: string[]): Promise<void> {
  const admin = copyOf(url, 'postgres');
  await ask(admin, 'alter database ledger with allow_connections false');
  await ask(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'ledger'`);
  for (const statement of statements) {
    await eventually(statement, () => ask(admin, statement).catch(() => undefined));
  }
  await ask(admin, 'alter database ledger with allow_connections true');
}
