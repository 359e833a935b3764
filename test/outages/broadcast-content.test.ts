import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { deleteDestination, getDestination, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { chat } from '../support/forwarding.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Outage, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const OUTAGE_MS = 3_000;
const CALLERS = 4;
const WORDS = ['a wanted word', 'a forbidden word', 'no word'] as const;

/** The filter of each destination, and the words of the prompts that pass it. */
const FILTERS = {
  everything: { rules: undefined, passing: WORDS },
  wanted: { rules: { operator: 'contains', value: 'wanted' }, passing: [WORDS[0]] },
  permitted: { rules: { operator: 'not_contains', value: 'forbidden' }, passing: [WORDS[0], WORDS[2]] },
} as const;
type Name = keyof typeof FILTERS;
const NAMES = Object.keys(FILTERS) as Name[];

let proxy: TcpProxy;
let gateway: Gateway;
let manager: Caller;
let spool: string;

beforeAll(async () => {
  [proxy, spool] = await Promise.all([
    startTcpProxy(process.env['SLUICE_TEST_POSTGRES_URL'] ?? ''),
    mkdtemp(path.join(tmpdir(), 'sluice-spool-')),
  ]);
  gateway = await startGateway({
    worker: ALL_QUEUES,
    databaseUrl: proxy.through,
    env: { DATABASE_STATEMENT_TIMEOUT: '3s', SPOOL_DIR: spool },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await proxy.restore();
  await gateway.close();
  await proxy.close();
  await rm(spool, { recursive: true, force: true });
});

let receivers: Record<Name, Receiver>;
let ids: Record<Name, string>;

beforeEach(async () => {
  const made = await Promise.all(
    NAMES.map(async (name) => {
      const receiver = await startReceiver();
      const { rules } = FILTERS[name];
      const filters = rules && { groups: [{ rules: [{ field: 'input', ...rules }] }] };
      const fields = { config: { url: receiver.url }, ...(filters && { filter_rules: filters }) };
      return [name, receiver, (await makeDestination(manager, fields)).id] as const;
    }),
  );
  receivers = Object.fromEntries(made.map(([name, receiver]) => [name, receiver])) as typeof receivers;
  ids = Object.fromEntries(made.map(([name, , id]) => [name, id])) as typeof ids;
});

afterEach(async () => {
  for (const id of Object.values(ids)) await deleteDestination(manager, id);
  for (const receiver of Object.values(receivers)) await receiver.close();
});

/** Asks for chats until the work is done. Returns the ids of the generations by the words of their prompts. */
async function chatsDuring(work: () => Promise<void>): Promise<Record<string, string[]>> {
  const asked: Record<string, string[]> = Object.fromEntries(WORDS.map((words) => [words, []]));
  let isOver = false;
  const ask = async (): Promise<void> => {
    for (let n = 0; !isOver; n += 1) {
      const content = WORDS[n % WORDS.length]!;
      asked[content]!.push(await chat(gateway, { messages: [{ role: 'user', content }] }));
    }
  };
  const callers = Array.from({ length: CALLERS }, ask);
  await work().finally(() => (isOver = true));
  await Promise.all(callers);
  return asked;
}

const received = (name: Name): string[] =>
  receivers[name].received.flatMap(({ body }) => generationsIn(body)).toSorted();

describe.each<Outage>(['refusal', 'silence'])('a three-second outage of Postgres (%s)', (outage) => {
  test('loses no prompt or answer at any destination and leaves no filter undecided', async () => {
    const asked = await chatsDuring(async () => {
      await eventually('traffic', async () => (received('everything').length > 0 ? true : undefined));
      proxy.cut(outage);
      await delay(OUTAGE_MS);
      await proxy.restore();
      const before = received('everything').length;
      await eventually('traffic again', async () =>
        received('everything').length > before ? true : undefined,
      );
    });
    for (const name of NAMES) {
      const passing = FILTERS[name].passing.flatMap((words) => asked[words]!);
      await eventually(`what passes the filter of ${name}`, async () => {
        const arrived = new Set(received(name));
        return passing.every((id) => arrived.has(id)) ? true : undefined;
      });
      const { delivery } = await eventually(`the end of the log for ${name}`, async () => {
        const shown = await getDestination(manager, ids[name]);
        return shown.delivery['backlog'] === 0 ? shown : undefined;
      });
      expect(delivery).toMatchObject({ without_content: 0, undecided: 0 });
      // A batch may be sent twice around the outage.
      expect([...new Set(received(name))]).toEqual(passing.toSorted());
      const text = receivers[name].received.map(({ body }) => body).join('\n');
      expect(text).not.toContain('sluice.content_dropped');
    }
  });
});
