import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import { runMigrate } from '../../admin/run-migrate.ts';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from '../support/open-database.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { type ChatClients, startChatClients } from '../support/chat-clients.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';

const CLIENTS = 200;

let postgres: OwnPostgres;
let gateway: Gateway;
let spool: string;
let apis: [ApiProcess, ApiProcess];
let clients: ChatClients;

beforeAll(async () => {
  [postgres, gateway, spool] = await Promise.all([
    startOwnPostgres(),
    // For its upstream and its settings; its own API answers nobody here.
    startGateway(),
    mkdtemp(path.join(tmpdir(), 'sluice-spool-')),
  ]);
  await runMigrate(postgres.url);
  const { apiKey } = await bootstrap(postgres.url, gateway.config.encryption, {
    organizationName: 'Crashes',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  });
  apis = await Promise.all([startApi(), startApi()]);
  let turn = 0;
  const origin = (): string => apis[(turn += 1) % 2]!.origin;
  clients = startChatClients({ clients: CLIENTS, origin, apiKey });
});

afterAll(async () => {
  await clients.stop();
  for (const api of apis) await api.kill();
  await gateway.close();
  await postgres.close();
  await rm(spool, { recursive: true, force: true });
});

function startApi(): Promise<ApiProcess> {
  return startApiProcess(gateway, { DATABASE_URL: postgres.url, SPOOL_DIR: spool, LOG_LEVEL: 'info' });
}

/** The moment is left to chance on purpose. */
const aWhile = (): Promise<void> => delay(Math.random() * 500);

async function underLoad(): Promise<void> {
  const before = clients.received.size;
  await eventually('answers', async () => (clients.received.size > before + CLIENTS ? true : undefined));
}

test('each answer received by 200 clients is in the ledger once, whichever process dies', async () => {
  await underLoad();
  for (const victim of ['api', 'postgres', 'both'] as const) {
    await aWhile();
    if (victim !== 'api') await postgres.kill();
    await aWhile();
    if (victim !== 'postgres') await apis[0].kill();
    await aWhile();
    if (victim !== 'api') await postgres.restart();
    if (victim !== 'postgres') apis[0] = await startApi();
    await underLoad();
  }
  await clients.stop();
  await eventually('the replay of what was spooled', async () =>
    (await readdir(spool)).length === 0 ? true : undefined,
  );

  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    `select w.id, count(g.id)::integer times from unnest($1::text[]) w (id) left join generations g using (id)
     group by 1 having count(g.id) <> 1`,
    [[...clients.received]],
  );
  await client.end();
  expect(rows).toEqual([]);
  const { knex, close } = createDatabase({ url: postgres.url, poolMax: 1 });
  const { text } = await runVerifyLedger(knex).finally(close);
  expect(text).toMatch(/The ledger agrees\.$/);
});
