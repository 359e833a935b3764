/** Spends a key's limit at two API processes, one of which is killed before the sums have what it spent. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { parseUsd } from '../../domain/money.ts';
import { addKey, type IssuedKey } from '../support/accounts.ts';
import { type ApiCluster, startApiCluster } from '../support/api-cluster.ts';
import { createCaller } from '../support/caller.ts';
import { type ChatClients, startChatClients } from '../support/chat-clients.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/open-database.ts';
import { summed } from '../support/summed.ts';

const PROCESSES = 2;
const CLIENTS = 20;
const ANSWER_USD = 0.000068;
const LIMIT_USD = 100 * ANSWER_USD;
const BODY = {
  model: 'local/chat-canned',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 28,
};

let gateway: Gateway;
let api: ApiCluster;
let key: IssuedKey;
let clients: ChatClients;
const received = new Set<string>();

beforeAll(async () => {
  gateway = await startGateway();
  key = await addKey(gateway, { limitNanos: parseUsd(LIMIT_USD.toFixed(9)) });
  api = await startApiCluster(gateway, PROCESSES);
});
afterAll(async () => {
  await api.kill();
  await gateway.close();
});

/** Starts clients with new connections, which the processes get in turn. */
function startClients(): void {
  const requests = [{ path: '/chat/completions', body: BODY }];
  clients = startChatClients({ clients: CLIENTS, origin: () => api.origin, apiKey: key.token, requests });
}

async function stopClients(): Promise<void> {
  await clients.stop();
  for (const id of clients.received) received.add(id);
}

/** Resolves when many requests in a row, from clients of all processes, were refused with a 402. */
async function spent(): Promise<void> {
  await eventually('refusals only', async () => {
    const [answers, refusals] = [clients.received.size, refused()];
    await eventually('refusals', async () => refused() >= refusals + 3 * CLIENTS || undefined);
    return clients.received.size === answers ? true : undefined;
  });
}

const refused = (): number => clients.failures.filter((error) => String(error).includes(': 402 ')).length;

test('two processes exceed a limit by what one may spend, although one dies before its rows are summed', async () => {
  const holder = new pg.Client({ connectionString: gateway.config.database.url });
  await holder.connect();
  await holder.query('begin');
  // No sum ends, so that all that is spent stays beside the counters.
  await holder.query('select from ledger_sums for update');
  startClients();
  await eventually('answers', async () => clients.received.size >= CLIENTS || undefined);
  process.kill(api.pidsOf(1).at(-1)!, 'SIGKILL');
  await spent();
  const { rowCount: copies } = await gateway.database.query('select from unsummed');
  expect(copies).toBeGreaterThanOrEqual(CLIENTS);
  await holder.end();
  await api.listened(1, 2);
  await stopClients();
  startClients();
  await spent();
  await stopClients();

  await summed(gateway.database);
  const { rows } = await gateway.database.query<{ id: string }>(
    'select id from generations where key_id = $1',
    [key.keyId],
  );
  expect(rows.length * ANSWER_USD).toBeLessThanOrEqual(PROCESSES * (LIMIT_USD + ANSWER_USD));
  expect([...received].filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
  const answer = await createCaller(api.origin, key.token).call('GET', '/key');
  const { data } = (await answer.json()) as { data: { usage: number } };
  expect(data.usage).toBeCloseTo(rows.length * ANSWER_USD, 9);
  const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  const { text } = await runVerifyLedger(knex).finally(close);
  expect(text).toMatch(/The ledger agrees\.$/);
});
