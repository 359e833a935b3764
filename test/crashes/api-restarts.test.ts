import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiCluster, isAlive, startApiCluster } from '../support/api-cluster.ts';
import { startRefused } from '../support/api-process.ts';
import { askChat } from '../support/chat.ts';
import { type ChatClients, startChatClients } from '../support/chat-clients.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

/** An API of several processes that is restarted and stopped while clients ask. */
const CHILDREN = [1, 2];
const CLIENTS = 120;

let gateway: Gateway;
let folder: string;
let spool: string;
let api: ApiCluster;
let clients: ChatClients;

beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-restarts-'));
  spool = path.join(folder, 'spool');
});

afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

function startClients(): ChatClients {
  return startChatClients({ clients: CLIENTS, origin: () => api.origin, apiKey: gateway.apiKey });
}

async function underLoad(): Promise<void> {
  const before = clients.received.size;
  await eventually('answers', async () => (clients.received.size > before + CLIENTS ? true : undefined));
}

const allPids = (): number[] => CHILDREN.flatMap((child) => api.pidsOf(child));
const gone = (pids: number[]): Promise<true> =>
  eventually('the end of all processes', async () => (pids.some(isAlive) ? undefined : true));

describe('an API of two processes', () => {
  beforeAll(async () => {
    api = await startApiCluster(gateway, CHILDREN.length, { SPOOL_DIR: spool });
  });
  afterAll(async () => {
    await clients.stop();
    await api.kill();
  });

  test("answers /readyz with 200, and logs the child's number in each line", async () => {
    expect((await fetch(`${api.origin}/readyz`)).status).toBe(200);
    const ofChildren = api.log.filter(({ pid }) => allPids().includes(pid));
    expect(new Set(ofChildren.map(({ child }) => child))).toEqual(new Set(CHILDREN));
  });

  test('fails no request while SIGHUP restarts both', async () => {
    clients = startClients();
    await underLoad();
    api.signal('SIGHUP');
    await api.logged('the API processes are restarted');
    await underLoad();
    await clients.stop();
    expect(clients.failures).toEqual([]);
    const [first, second] = CHILDREN.map((child) => api.pidsOf(child));
    expect(new Set([...first!, ...second!]).size).toBe(4);
    await gone([first![0]!, second![0]!]);
    // One by one: the first successor listened before the second one began.
    const listening = api.log.filter(({ msg }) => msg === 'the API is listening').map(({ child }) => child);
    expect(listening.slice(2)).toEqual(CHILDREN);
  });

  test('keeps both when a successor fails to start, and restarts them later', async () => {
    clients = startClients();
    const before = allPids().length;
    await rename(spool, `${spool}-aside`);
    await writeFile(spool, 'no directory');
    api.signal('SIGHUP');
    await api.logged('the restart is given up');
    await underLoad();
    expect(allPids().filter(isAlive)).toHaveLength(2);
    await rm(spool);
    await rename(`${spool}-aside`, spool);
    api.signal('SIGHUP');
    await api.logged('the API processes are restarted', 2);
    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect(allPids()).toHaveLength(before + 2);
  });

  test('finishes requests in flight on SIGTERM, and exits 0', async () => {
    gateway.upstream.addFaults({ kind: 'slow-start', ms: 1_000 });
    const slow = askChat(gateway, {}, createCaller(api.origin, gateway.apiKey));
    await eventually('the request at the upstream', async () =>
      gateway.upstream.requests('chat').some(({ fields }) => fields?.['model'] === 'echo-1')
        ? true
        : undefined,
    );
    api.signal('SIGTERM');
    expect((await slow).status).toBe(200);
    expect(await api.exited).toEqual({ code: 0, signal: null });
    await gone(allPids());
  });
});

test('an API whose first process is killed leaves no process behind', async () => {
  api = await startApiCluster(gateway, CHILDREN.length);
  await api.kill();
  await gone(allPids());
});

test('an API with fewer than two connections a process exits 2 and names enough', async () => {
  const { code, said } = await startRefused(gateway, { API_PROCESSES: '6', DATABASE_POOL_MAX: '10' });
  expect(code).toBe(2);
  expect(said).toContain('DATABASE_POOL_MAX is 10');
  expect(said).toContain('for example DATABASE_POOL_MAX=12');
});

test("an API whose first child fails to start exits with the child's code", async () => {
  const { code } = await startRefused(gateway, { API_PROCESSES: '2', SPOOL_DIR: '/dev/null/spool' });
  expect(code).toBe(1);
});
