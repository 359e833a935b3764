import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { type ApiCluster, startApiCluster } from '../support/api-cluster.ts';
import { startApiProcess, startRefused } from '../support/api-process.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { scrape, scrapeUntil } from '../support/scrape.ts';

/** The metrics of an API of two processes, one of which is killed. */
const CHILDREN = [1, 2];

let gateway: Gateway;
let api: ApiCluster;
let port: number;

beforeAll(async () => {
  gateway = await startGateway();
  [port = 0] = await findFreePorts(1);
  api = await startApiCluster(gateway, CHILDREN.length, { METRICS_PORT: String(port) });
});
afterAll(async () => {
  await api.kill();
  await gateway.close();
});

const CHATS = 'sluice_requests_total{operation="createChatCompletion",status="200"}';

/** Each over a connection of its own, which the first process hands to the children in turn. */
async function chat(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const answer = await fetch(`${api.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      body: JSON.stringify({ model: 'local/echo-1', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
  }
}

/** Of all processes; the first one has no pool. */
const connections = 'sluice_pool_connections{pool="analytics",state="idle"}';

test('the first process shows the sum of all children, which a kill does not lower', async () => {
  await chat(8);
  const before = await scrapeUntil(port, CHATS, 8);
  expect(before.value(connections)).toBe(0);
  process.kill(api.pidsOf(1).at(-1)!, 'SIGKILL');
  await api.listened(1, 2);
  expect((await scrape(port)).value(CHATS)).toBe(8);
  await chat(4);
  const after = await scrapeUntil(port, CHATS, 12);
  expect(after.value(connections)).toBe(0);
  expect(after.value('process_start_time_seconds')).toBeGreaterThanOrEqual(
    before.value('process_start_time_seconds')!,
  );
});

test('a scrape includes the counts of a child that hangs', async () => {
  const pid = api.pidsOf(2).at(-1)!;
  await scrapeUntil(port, CHATS, 12);
  process.kill(pid, 'SIGSTOP');
  try {
    expect((await scrape(port)).value(CHATS)).toBe(12);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await scrapeUntil(port, CHATS, 12);
});

test('an API whose METRICS_PORT is taken exits 1 and names the port', async () => {
  for (const processes of ['1', '2']) {
    const { code, said } = await startRefused(gateway, {
      METRICS_PORT: String(port),
      API_PROCESSES: processes,
    });
    expect(code).toBe(1);
    expect(said).toContain(`METRICS_PORT is ${port}`);
  }
});

test('an API without METRICS_PORT opens no port for metrics', async () => {
  const other = await startApiProcess(gateway);
  expect(other.log.filter(({ msg }) => msg === 'metrics are shown')).toEqual([]);
  other.signal('SIGTERM');
  expect(await other.exited).toEqual({ code: 0, signal: null });
});
