import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { openRaw } from '../api/support/raw-request.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, readEvents } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { CLOSED_PORT } from '../support/replica.ts';
import { type Scrape, scrape, scrapeUntil } from '../support/scrape.ts';

let gateway: Gateway;
let port: number;
let spool: string;

beforeAll(async () => {
  [port = 0] = await findFreePorts(1);
  spool = await mkdtemp(path.join(tmpdir(), 'sluice-spool-'));
  gateway = await startGateway({
    env: {
      METRICS_PORT: String(port),
      SPOOL_DIR: spool,
      SPOOL_MAX_SIZE: '3MiB',
      PROVIDER_AWAY_API_KEY: 'key',
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await rm(spool, { recursive: true, force: true });
});

const CHATS = 'sluice_requests_total{operation="createChatCompletion",status="200"}';
const attempts = (outcome: string, provider = 'local'): string =>
  `sluice_upstream_attempts_total{provider="${provider}",outcome="${outcome}"}`;
const secondsOf = ({ value }: Scrape, name: string, labels: string): number =>
  value(`sluice_${name}_sum{operation="createChatCompletion"${labels}}`) ?? 0;

/** How long chats waited for others, by what is shown: their time without the gateway's own. */
const waited = (seen: Scrape): number =>
  secondsOf(seen, 'request_duration_seconds', ',status_class="2xx"') -
  secondsOf(seen, 'overhead_seconds', '');

async function chats(): Promise<number> {
  return (await scrape(port)).value(CHATS) ?? 0;
}

describe('an API with metrics', () => {
  test('shows a chat as a request, an attempt, and a row of the ledger', async () => {
    await completed(await askChat(gateway, {}));
    const { value } = await scrapeUntil(port, CHATS, 1);
    expect(value(attempts('answered'))).toBe(1);
    expect(value('sluice_overhead_seconds_count{operation="createChatCompletion"}')).toBe(1);
    expect(value('sluice_ledger_wait_seconds_count')).toBe(1);
    expect(value('sluice_ledger_batch_rows_sum')).toBe(1);
    expect(value('sluice_requests_in_flight{operation="createChatCompletion"}')).toBe(0);
    expect(value('sluice_circuits_open{provider="local"}')).toBe(0);
    expect(value('sluice_spool_bytes')).toBe(0);
    expect(value('sluice_spool_limit_bytes')).toBe(3 * 1024 ** 2);
    expect(value('sluice_pool_connections{pool="primary",state="used"}')).toBeDefined();
    expect(value('sluice_pool_connections{pool="analytics",state="idle"}')).toBe(0);
    expect(value('sluice_pool_waiting{pool="primary"}')).toBe(0);
  });

  test.each([
    ['a whole answer', false],
    ['a stream', true],
  ])("counts an upstream's delay as waiting, not as its own time: %s", async (_, stream) => {
    const [before, count] = [waited(await scrape(port)), await chats()];
    gateway.upstream.addFaults({ kind: 'slow-start', ms: 1_000 });
    const answer = await askChat(gateway, { stream });
    await (stream ? readEvents(answer) : completed(answer));
    const after = waited(await scrapeUntil(port, CHATS, count + 1));
    // Timers may fire a little early.
    expect(after - before).toBeGreaterThan(0.98);
  });

  test('counts the time in which an upstream streams as waiting', async () => {
    const [before, count] = [waited(await scrape(port)), await chats()];
    gateway.upstream.addFaults({ kind: 'drip', unit: 'event', everyMs: 300 });
    const events = await readEvents(await askChat(gateway, { stream: true }));
    expect(events.length).toBeGreaterThan(3);
    const after = waited(await scrapeUntil(port, CHATS, count + 1));
    expect(after - before).toBeGreaterThan(0.58);
  });

  test('counts the time in which a caller sends slowly as waiting', async () => {
    const [before, count] = [waited(await scrape(port)), await chats()];
    const body = JSON.stringify({ model: 'local/echo-1', messages: [{ role: 'user', content: 'Hi' }] });
    const { socket, connected, closed } = openRaw(Number(new URL(gateway.origin).port));
    await connected;
    socket.write(
      `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await delay(1_000);
    socket.write(body.slice(10));
    expect(await closed).toContain('HTTP/1.1 200 OK');
    const after = waited(await scrapeUntil(port, CHATS, count + 1));
    expect(after - before).toBeGreaterThan(0.98);
  });

  test.each([
    ['rate_limited', { kind: 'status', on: 'chat', status: 429 } as const],
    ['failed', { kind: 'status', on: 'chat', status: 500 } as const],
    ['failed', { kind: 'garbage', on: 'chat' } as const],
    ['failed', { kind: 'status', on: 'chat', status: 401 } as const],
    ['refused', { kind: 'status', on: 'chat', status: 400 } as const],
  ])('counts an attempt as %s: %p', async (outcome, fault) => {
    const before = (await scrape(port)).value(attempts(outcome)) ?? 0;
    gateway.upstream.addFaults(fault);
    await (await askChat(gateway, {})).text();
    expect((await scrape(port)).value(attempts(outcome))).toBe(before + 1);
  });

  test('counts an attempt whose caller left as aborted, and its request as 499', async () => {
    gateway.upstream.addFaults({ kind: 'hang', on: 'chat' });
    const leaving = new AbortController();
    const asked = gateway.upstream.requests('chat').length;
    const body = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hi' }] };
    const answer = fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => 'left');
    await eventually('the request at the upstream', async () =>
      gateway.upstream.requests('chat').length > asked ? true : undefined,
    );
    leaving.abort();
    expect(await answer).toBe('left');
    const left = 'sluice_requests_total{operation="createChatCompletion",status="499"}';
    await scrapeUntil(port, attempts('aborted'), 1);
    const { value } = await scrapeUntil(port, left, 1);
    expect(value('sluice_requests_in_flight{operation="createChatCompletion"}')).toBe(0);
  });

  test('counts endpoints whose circuit is open', async () => {
    await addChatModel(gateway, 'test/away', [
      { provider: 'away', adapter: 'openai-compatible', baseUrl: `http://${CLOSED_PORT}/v1` },
      { provider: 'local' },
    ]);
    for (let n = 0; n < 20; n += 1)
      await completed(await askChat(gateway, { model: 'test/away', provider: { order: ['away', 'local'] } }));
    const { value } = await scrape(port);
    expect(value('sluice_circuits_open{provider="away"}')).toBe(1);
    expect(value('sluice_circuits_open{provider="local"}')).toBe(0);
    expect(value(attempts('failed', 'away'))).toBeGreaterThanOrEqual(10);
  });

  test('adds no series for models, keys and paths that callers invent', async () => {
    const sendAll = async (round: number): Promise<void> => {
      for (let n = 0; n < 20; n += 1) {
        const name = `x${round}-${n}`;
        const asked = [
          askChat(gateway, { model: `${name}/${name}` }),
          askChat(gateway, { model: `local/echo-1:${name}`, provider: { order: [name], only: [name] } }),
          askChat(gateway, { models: [`local/${name}`, 'local/echo-1'], user: name, session_id: name }),
          askChat(gateway, { preset: name }),
          gateway.call('GET', `/videos/${name}`),
          gateway.call('GET', `/${name}`),
          gateway.call('GET', `/models/${name}/${name}/endpoints`),
          fetch(`${gateway.origin}/${name}`, { method: 'DELETE', headers: { authorization: name } }),
        ];
        for (const answer of await Promise.all(asked)) await answer.text();
      }
    };
    await sendAll(0);
    const { series } = await scrape(port);
    await sendAll(1);
    expect((await scrape(port)).series).toEqual(series);
    expect(series.join('\n')).not.toMatch(/x0-/);
  });
});
