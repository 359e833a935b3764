import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  addCredential,
  addPrivateEndpoint,
  clearOwnResources,
  type CustomerServer,
  noticed,
  startCustomerServer,
} from '../support/own-resources.ts';
import { deleteByokKey, listByokKeys, makeByokKey, updateByokKey } from '../support/byok.ts';
import { addUnreachableModel } from '../support/catalog.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { askChat, completed, generationIdOf, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { actOn, dataOf, deleteEndpoint, ENTITLED } from '../support/private-endpoints.ts';
import { type Replica, startDeafReplica, startReplica } from '../support/replica.ts';
import { answerChat, sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

/** A model that is reached with an own credential only. */
const UNREACHABLE = 'test/unreachable';

let gateway: Gateway;
let replica: Replica;
let deaf: Replica;
let manager: Caller;
let server: CustomerServer;

beforeAll(async () => {
  [gateway, server] = await Promise.all([startGateway({ bootstrap: ENTITLED }), startCustomerServer()]);
  await addUnreachableModel(gateway, UNREACHABLE, 'local/echo-1', {
    provider: 'vendor',
    adapter: 'openai',
  });
  [replica, deaf] = await Promise.all([startReplica(gateway), startDeafReplica(gateway)]);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await Promise.all([replica.close(), deaf.close()]);
  await gateway.close();
  await server.close();
});

afterEach(async () => {
  server.clearFaults();
  await clearOwnResources(gateway);
  for (const caller of everywhere()) await noticed(async () => !(await isOwn(caller)));
});

const at = (origin: string): Caller => createCaller(origin, gateway.apiKey);
const everywhere = (): Caller[] => [gateway, replica].map(({ origin }) => at(origin));

const isOwn = async (caller: Caller = at(gateway.origin)): Promise<boolean> =>
  (await completed(await askChat(gateway, {}, caller))).usage?.is_byok === true;

async function bringEndpoint(): Promise<string> {
  await addCredential(gateway, server.apiKey, { base_url: server.baseUrl, origin: server.origin });
  const id = await addPrivateEndpoint(gateway, server.baseUrl);
  for (const caller of everywhere()) await noticed(() => isOwn(caller));
  return id;
}

/** A stream of the customer's server that has begun and goes on for a while. */
async function beginStream(): Promise<{ id: string; rest(): Promise<string> }> {
  server.addFaults({ kind: 'drip', on: 'chat', everyMs: 20 });
  const content = 'word '.repeat(50);
  const answer = await askChat(gateway, { stream: true, messages: [{ role: 'user', content }] });
  const reader = answer.body!.getReader();
  let text = new TextDecoder().decode((await reader.read()).value);
  return {
    id: generationIdOf(answer),
    async rest() {
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += decoder.decode(value, { stream: true });
      }
    },
  };
}

describe('a private endpoint that is streaming', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['disabled', async (id) => dataOf(await actOn(manager, id, 'disable'))],
    ['deleted', async (id) => expect((await deleteEndpoint(manager, id)).status).toBe(200)],
  ])('streams to its end at its price when %s, and gets no new request', async (_, end) => {
    const id = await bringEndpoint();
    const stream = await beginStream();
    await end(id);
    const before = server.requests('chat').length;
    expect(await isOwn()).toBe(false);
    expect(server.requests('chat')).toHaveLength(before);
    const text = await stream.rest();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('"error"');
    const row = await ledgerRow(gateway, stream.id);
    expect(row).toMatchObject({ is_byok: true, status: 'completed', finish_reason: 'stop' });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
    for (const caller of everywhere()) await noticed(async () => !(await isOwn(caller)));
  });

  test('streams to its end when its credential is deleted', async () => {
    const made = await bringKey(server, server.apiKey, 'openai-compatible');
    await addPrivateEndpoint(gateway, server.baseUrl);
    await noticed(() => isOwn());
    const stream = await beginStream();
    expect((await deleteByokKey(manager, made)).status).toBe(200);
    expect((await stream.rest()).endsWith('data: [DONE]\n\n')).toBe(true);
    expect(await ledgerRow(gateway, stream.id)).toMatchObject({ is_byok: true, status: 'completed' });
  });
});

const bringKey = async (
  to: Pick<VendorServer, 'baseUrl'>,
  key: string,
  provider = 'local',
): Promise<string> => (await makeByokKey(manager, { provider, key, base_url: to.baseUrl })).id;

describe('a credential that changes under load', () => {
  let vendor: VendorServer;
  beforeEach(async () => {
    vendor = await startVendorServer();
  });
  afterEach(() => vendor.close());

  const ask = async (caller: Caller, content: string): Promise<number> => {
    const answer = await askChat(gateway, { messages: [{ role: 'user', content }] }, caller);
    await answer.text();
    return answer.status;
  };

  /** Chats through every API without a pause until the work is over. Returns the statuses of the answers. */
  async function chatWhile(work: () => Promise<unknown>): Promise<Set<number>> {
    const statuses: number[] = [];
    let isOver = false;
    const chatter = async (caller: Caller): Promise<void> => {
      while (!isOver) statuses.push(await ask(caller, 'load'));
    };
    const chatters = [...everywhere(), ...everywhere()].map(chatter);
    await work().finally(() => {
      isOver = true;
    });
    await Promise.all(chatters);
    return new Set(statuses);
  }

  /** The keys that the vendor was sent with these words; `shared` where it was not asked. */
  async function keysSentWith(caller: Caller, words: string): Promise<string[]> {
    const statuses = await Promise.all(Array.from({ length: 8 }, () => ask(caller, words)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const keys = vendor.calls.filter(({ body }) => body.includes(words)).map(({ key }) => key!);
    return keys.length === 0 ? ['shared'] : [...new Set(keys)];
  }

  const here = (): Caller => at(gateway.origin);
  let words = 0;
  const newWords = (): string => `words-${(words += 1)}-end`;

  /** Waits until an API sends this key and no other. */
  const untilSent = (caller: Caller, expected: string): Promise<unknown> =>
    noticed(async () => (await keysSentWith(caller, newWords())).join() === expected);

  test('fails no request when its secret changes, and this API uses it at once', async () => {
    const id = await bringKey(vendor, 'key-0');
    for (const caller of everywhere()) await untilSent(caller, 'key-0');
    const statuses = await chatWhile(async () => {
      for (let n = 1; n <= 5; n += 1) {
        await updateByokKey(manager, id, { key: `key-${n}` });
        expect(await keysSentWith(here(), newWords())).toEqual([`key-${n}`]);
      }
      for (const caller of everywhere()) await untilSent(caller, 'key-5');
    });
    expect(statuses).toEqual(new Set([200]));
  });

  test('fails no request when the vendor refuses the old secret at once', async () => {
    const id = await bringKey(vendor, 'key-0');
    for (const caller of everywhere()) await untilSent(caller, 'key-0');
    vendor.answer = (call, response) => {
      if (call.key === 'key-1') answerChat(call, response);
      else sendJson(response, 401, { error: { message: 'revoked' } });
    };
    const statuses = await chatWhile(async () => {
      await updateByokKey(manager, id, { key: 'key-1' });
      expect(await keysSentWith(here(), newWords())).toEqual(['key-1']);
      for (const caller of everywhere()) await untilSent(caller, 'key-1');
    });
    expect(statuses).toEqual(new Set([200]));
  });

  test('fails no request when it is deleted, and this API stops using it at once', async () => {
    const id = await bringKey(vendor, 'key-0');
    for (const caller of everywhere()) await untilSent(caller, 'key-0');
    const statuses = await chatWhile(async () => {
      expect((await deleteByokKey(manager, id)).status).toBe(200);
      expect(await keysSentWith(here(), newWords())).toEqual(['shared']);
      for (const caller of everywhere()) await untilSent(caller, 'shared');
    });
    expect(statuses).toEqual(new Set([200]));
  });

  test('goes with its new secret to the new address only', async () => {
    const other = await startVendorServer();
    const id = await bringKey(vendor, 'key-0');
    for (const caller of everywhere()) await untilSent(caller, 'key-0');
    const statuses = await chatWhile(async () => {
      await updateByokKey(manager, id, { key: 'key-1', base_url: other.baseUrl });
      for (const caller of everywhere())
        await noticed(async () => {
          const sent = newWords();
          await ask(caller, sent);
          return other.calls.some(({ body }) => body.includes(sent));
        });
    });
    expect(statuses).toEqual(new Set([200]));
    expect(new Set(other.calls.map(({ key }) => key))).toEqual(new Set(['key-1']));
    expect(new Set(vendor.calls.map(({ key }) => key))).toEqual(new Set(['key-0']));
    await other.close();
  });
});

test('a replica without notifications applies a change of a credential', async () => {
  const isListed = async (): Promise<boolean> =>
    (await (await at(deaf.origin).call('GET', '/models/user')).text()).includes(UNREACHABLE);
  await eventually('the provider in the catalog', async () => {
    const body = { provider: 'vendor', key: 'key-0' };
    return (await manager.call('POST', '/byok', { body })).status === 201 ? true : undefined;
  });
  const [{ id } = { id: '' }] = (await listByokKeys(manager, '?provider=vendor')).data;
  await noticed(isListed);
  expect((await deleteByokKey(manager, id)).status).toBe(200);
  await noticed(async () => !(await isListed()));
});
