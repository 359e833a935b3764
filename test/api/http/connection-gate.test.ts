import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createConnectionGate } from '../../../api/http/connection-gate.ts';
import { createCallerAddresses } from '../../../api/http/request/caller-addresses.ts';
import { type ApiServer, createServer } from '../../../api/http/server.ts';
import { createMetrics } from '../../../platform/create-metrics.ts';
import type { ProcessMetrics } from '../../../platform/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { readScrape } from '../../support/scrape.ts';
import { openRaw, type RawConnection } from '../support/raw-request.ts';

const [A, B, C] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
const PROXY = '127.0.0.5';
const REQUEST = 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n';

let metrics: ProcessMetrics;
let server: ApiServer;
let port: number;
const open: RawConnection[] = [];
const warnings: object[] = [];

/**
 * A server of at most six connections, three of each address. It answers `/`, holds the authenticated request `/held`,
 * and holds all others without a key.
 */
beforeEach(async () => {
  metrics = createMetrics(0);
  const gate = createConnectionGate({
    bounds: { all: 6, ofAddress: 3 },
    addresses: createCallerAddresses([`${PROXY}/32`]),
    metrics,
    logger: { warn: (facts: object) => void warnings.push(facts) },
  });
  server = createServer(
    (request, response) => {
      if (request.url === '/') return void response.end('answered');
      if (request.url === '/held') gate.busy(request.socket);
      response.write('begun');
    },
    { gate },
  );
  port = await server.listen(0, '127.0.0.1');
});
afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy();
  warnings.length = 0;
  await server.close(0);
});

function connectFrom(address: string): RawConnection {
  const connection = openRaw(port, address);
  open.push(connection);
  return connection;
}

/** Opens a connection that the server has accepted before the next one. */
async function openHalf(address: string): Promise<RawConnection> {
  const before = (await value('sluice_connections{state="half_open"}')) ?? 0;
  const connection = connectFrom(address);
  await eventually('the connection', async () =>
    (await value('sluice_connections{state="half_open"}')) === before + 1 ? true : undefined,
  );
  return connection;
}

/** Opens a connection with an answered request, and waits until it is idle. */
async function openIdle(address: string): Promise<RawConnection> {
  const connection = connectFrom(address);
  connection.socket.write(REQUEST);
  await connection.until('answered');
  return connection;
}

/** Opens a connection with an authenticated request in flight, or one without a key. */
async function openBusy(address: string, path = '/held'): Promise<RawConnection> {
  const connection = connectFrom(address);
  connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
  await connection.until('begun');
  return connection;
}

async function value(series: string): Promise<number | undefined> {
  return readScrape(await metrics.text()).value(series);
}

async function answers({ socket, until }: RawConnection): Promise<boolean> {
  socket.write(REQUEST);
  await until('answered');
  return true;
}

test('the fourth connection of an address closes its half-open one only', async () => {
  const idle = await openIdle(A);
  const half = await openHalf(A);
  const busy = await openBusy(A);
  const other = await openHalf(B);
  await openIdle(A);
  expect(await half.closed).toBe('');
  expect(await value('sluice_connection_closed_total{state="half_open"}')).toBe(1);
  expect(busy.socket.destroyed).toBe(false);
  expect(await answers(idle)).toBe(true);
  expect(await answers(other)).toBe(true);
});

test('a fourth connection answers 429 while three of its address have requests in flight', async () => {
  for (let n = 0; n < 3; n += 1) await openBusy(A);
  const refused = await connectFrom(A).closed;
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  expect(refused).toContain('retry-after: 5\r\n');
  expect(JSON.parse(refused.split('\r\n\r\n')[1]!).error).toEqual({
    code: 429,
    message: 'Rate limit exceeded',
    metadata: { reason: 'too_many_connections_of_address', retryable: true, retry_after_seconds: 5 },
  });
  expect(await value('sluice_connection_refused_total{bound="address"}')).toBe(1);
  expect(warnings).toMatchObject([{ address: A, reason: 'too_many_connections_of_address' }]);
  expect(await answers(connectFrom(B))).toBe(true);
});

test('a full server closes an idle connection of the address with most of them', async () => {
  const single = await openHalf(B);
  const idle = [await openIdle(A), await openIdle(A), await openIdle(A)];
  await openBusy(C);
  await openBusy(C);
  await openIdle(C);
  expect(await idle[0]!.closed).toContain('answered');
  expect(await value('sluice_connection_closed_total{state="idle"}')).toBe(1);
  expect(await answers(single)).toBe(true);
  expect(await answers(idle[1]!)).toBe(true);
});

test('a full server with requests on all connections answers 503 and cuts none', async () => {
  const busy = [];
  for (const address of [A, A, A, B, B, B]) busy.push(await openBusy(address));
  const refused = await connectFrom(C).closed;
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toContain('"reason":"too_many_connections"');
  expect(await value('sluice_connection_refused_total{bound="all"}')).toBe(1);
  expect(busy.every(({ socket }) => !socket.destroyed)).toBe(true);
  expect(await value('sluice_connections{state="busy"}')).toBe(6);
});

test('a full server closes a connection whose request has no key', async () => {
  for (const address of [A, A, A, B, B]) await openBusy(address);
  const reader = await openBusy(B, '/docs');
  await openBusy(C);
  expect(await reader.closed).toContain('begun');
});

test('a trusted proxy may exceed the bound of an address, and loses connections last', async () => {
  const kept = [];
  for (let n = 0; n < 4; n += 1) kept.push(await openIdle(PROXY));
  const [first, second] = [await openHalf(A), await openHalf(A)];
  await openIdle(B);
  expect(await first.closed).toBe('');
  expect(await answers(second)).toBe(true);
  for (const connection of kept) expect(await answers(connection)).toBe(true);
});

test('a closed connection makes room for another one', async () => {
  for (let n = 0; n < 3; n += 1) (await openBusy(A)).socket.destroy();
  await eventually('the end of all', async () =>
    (await value('sluice_connections{state="busy"}')) === 0 ? true : undefined,
  );
  expect(await answers(connectFrom(A))).toBe(true);
});
