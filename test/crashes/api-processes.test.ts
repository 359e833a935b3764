import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import { runMigrate } from '../../admin/run-migrate.ts';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from '../support/open-database.ts';
import { shardOfChild } from '../../domain/shard.ts';
import { type ApiCluster, startApiCluster } from '../support/api-cluster.ts';
import { type ChatClients, startChatClients } from '../support/chat-clients.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';

/** An API of several processes, each of which is killed under load, with Postgres there and away. */
const CHILDREN = [1, 2, 3];
const CLIENTS = 60;

let postgres: OwnPostgres;
let gateway: Gateway;
let spool: string;
let api: ApiCluster;
let apiKey: string;
let clients: ChatClients;
/** Answers that any client received whole. */
const received = new Set<string>();

beforeAll(async () => {
  [postgres, gateway, spool] = await Promise.all([
    startOwnPostgres(),
    // For its upstream and its settings; its own API answers nobody here.
    startGateway(),
    mkdtemp(path.join(tmpdir(), 'sluice-spool-')),
  ]);
  await runMigrate(postgres.url);
  ({ apiKey } = await bootstrap(postgres.url, gateway.config.encryption, {
    organizationName: 'Crashes',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  }));
  api = await startApiCluster(gateway, CHILDREN.length, { DATABASE_URL: postgres.url, SPOOL_DIR: spool });
  clients = startClients();
});

afterAll(async () => {
  await stopClients();
  await api.kill();
  await gateway.close();
  await postgres.close();
  await rm(spool, { recursive: true, force: true });
});

function startClients(): ChatClients {
  return startChatClients({ clients: CLIENTS, origin: () => api.origin, apiKey });
}

async function stopClients(): Promise<void> {
  await clients.stop();
  for (const id of clients.received) received.add(id);
}

/** A child that is new gets new connections only. */
async function reconnect(): Promise<void> {
  await stopClients();
  clients = startClients();
}

async function underLoad(): Promise<void> {
  const before = clients.received.size;
  await eventually('answers', async () => (clients.received.size > before + CLIENTS ? true : undefined));
}

/** A child that has answered knows the key of the clients, which it can no longer read once Postgres is away. */
async function eachChildAnswers(): Promise<void> {
  await eventually('an answer of each child', async () =>
    CHILDREN.every((child) => api.log.some((line) => line.pid === pidOf(child) && line.status === 200))
      ? true
      : undefined,
  );
}

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<Row>(text, values);
  await client.end();
  return rows;
}

function pidOf(child: number): number {
  return api.pidsOf(child).at(-1)!;
}

async function kill(child: number): Promise<void> {
  const times = api.pidsOf(child).length;
  process.kill(pidOf(child), 'SIGKILL');
  await api.listened(child, times + 1);
}

/** The process ids in the names of the files. */
async function holdersOfSpools(): Promise<Set<number>> {
  return new Set((await readdir(spool)).map((name) => Number(name.split('~')[1])));
}

test('children killed under load lose no acknowledged answer and are replaced', async () => {
  await underLoad();
  for (const child of CHILDREN) {
    await kill(child);
    await reconnect();
    await underLoad();
  }
  await eachChildAnswers();
  await postgres.kill();
  await underLoad();
  await eventually('a spool of each child', async () => {
    const holders = await holdersOfSpools();
    return CHILDREN.every((child) => holders.has(pidOf(child))) ? true : undefined;
  });
  // Its successor cannot start without Postgres; what it left is replayed by the others.
  process.kill(pidOf(2), 'SIGKILL');
  await api.logged('an API process does not start');
  await underLoad();
  await postgres.restart();
  await api.listened(2, 3);
  await reconnect();
  await underLoad();
  await stopClients();
  await eventually('the replay of what was spooled', async () =>
    (await readdir(spool)).length === 0 ? true : undefined,
  );

  expect(CHILDREN.map((child) => new Set(api.pidsOf(child)).size)).toEqual([2, 3, 2]);
  const missing = await query(
    `select w.id, count(g.id)::integer times from unnest($1::text[]) w (id) left join generations g using (id)
     group by 1 having count(g.id) <> 1`,
    [[...received]],
  );
  expect(missing).toEqual([]);
  const { knex, close } = createDatabase({ url: postgres.url, poolMax: 1 });
  const { text } = await runVerifyLedger(knex).finally(close);
  expect(text).toMatch(/The ledger agrees\.$/);
  // It waits for six starts and a replay, each of which takes long on a busy machine.
}, 480_000);

test('each child adds to the same shard of the sums as its predecessor, and leaves nothing to add', async () => {
  await eventually('all sums', async () =>
    (await query('select from unsummed')).length === 0 ? true : undefined,
  );
  const rows = await query<{ shard: number }>('select distinct shard from hourly_usage');
  const shards = CHILDREN.map((child) => shardOfChild(hostname(), child));
  expect(rows).not.toEqual([]);
  expect(rows.filter(({ shard }) => !shards.includes(shard))).toEqual([]);
});
