import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Replica, startReplica } from '../support/replica.ts';

/** Four characters a word, which the upstream counts as a token, as the gateway's guess does. It is said again. */
const WORDS = 'abc '.repeat(2_000);
/** What the model costs: a microdollar a token of the prompt, and two of the answer. */
const COMPLETION_USD = 0.000002;

let gateway: Gateway;
let second: Replica;

beforeAll(async () => {
  gateway = await startGateway();
  second = await startReplica(gateway);
});

afterAll(async () => {
  await second.close();
  await gateway.close();
});

async function callersOf(usd: string): Promise<[Caller, Caller]> {
  const { token } = await addKey(gateway, { limitNanos: parseUsd(usd) });
  return [createCaller(gateway.origin, token), createCaller(second.origin, token)];
}

function ask(caller: Caller, fields: object = {}, words = WORDS): Promise<Response> {
  const body = { model: 'local/echo-1', messages: [{ role: 'user', content: words }], ...fields };
  return caller.call('POST', '/chat/completions', { body });
}

async function costOf(answer: Response): Promise<number> {
  const { usage } = (await answer.json()) as { usage?: { cost: number } };
  return usage?.cost ?? 0;
}

async function sum(costs: Promise<number>[]): Promise<number> {
  return (await Promise.all(costs)).reduce((total, cost) => total + cost, 0);
}

const lastFields = (target: string) => gateway.upstream.requests(target).at(-1)!.fields!;

describe('the spending limit of a key', () => {
  test('holds for two hundred concurrent requests without max_tokens', async () => {
    const [caller] = await callersOf('0.0565');
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(caller)));
    const statuses = new Set(answers.map(({ status }) => status));
    const total = await sum(answers.map(costOf));
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 402]);
    expect(total).toBeGreaterThan(0.02);
    expect(total).toBeLessThanOrEqual(0.0565);
  });

  test('holds at most twice for two processes, and soon both refuse', async () => {
    const [here, there] = await callersOf('0.03');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => ask(at % 2 === 0 ? here : there)),
    );
    expect(await sum(answers.map(costOf))).toBeLessThanOrEqual(2 * 0.03);
    await eventually('both refuse', async () => {
      const statuses = await Promise.all([here, there].map(async (caller) => (await ask(caller)).status));
      return statuses.every((status) => status === 402) ? true : undefined;
    });
  });
});

describe('a request without max_tokens', () => {
  const cases: [string, string, string, object][] = [
    ['/chat/completions', 'chat', 'max_tokens', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['/messages', 'chat', 'max_tokens', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: null }],
    ['/responses', 'chat', 'max_tokens', { input: 'Hello' }],
  ];
  for (const stream of [false, true]) {
    test.each(cases)(
      `gets the reserved limit upstream and in x-output-limit: %s (stream: ${stream})`,
      async (path, target, name, body) => {
        const [caller] = await callersOf('0.1');
        const answer = await caller.call('POST', path, { body: { model: 'local/echo-1', ...body, stream } });
        await answer.text();
        const limit = Number(answer.headers.get('x-output-limit'));
        expect(answer.status).toBe(200);
        expect(limit).toBe(Math.floor(0.1 / 16 / COMPLETION_USD));
        expect(lastFields(target)[name]).toBe(limit);
      },
    );
  }

  test('has the limit divided by its number of answers', async () => {
    const [caller] = await callersOf('0.1');
    const answer = await ask(caller, { n: 5 }, 'Hello');
    expect(answer.headers.get('x-output-limit')).toBe('625');
    expect(lastFields('chat')).toMatchObject({ n: 5, max_tokens: 625 });
  });

  test('gets no limit if the budget pays for the longest answer', async () => {
    const [caller] = await callersOf('10');
    const answer = await ask(caller, {}, 'Hello');
    expect(answer.headers.has('x-output-limit')).toBe(false);
    expect(lastFields('chat')).not.toHaveProperty('max_tokens');
  });

  test('reaches the upstream unchanged if the key has no limit', async () => {
    const { token } = await addKey(gateway);
    const answer = await ask(createCaller(gateway.origin, token), {}, 'Hello');
    expect(answer.headers.has('x-output-limit')).toBe(false);
    expect(lastFields('chat')).not.toHaveProperty('max_tokens');
  });

  test('gets 402 with affordable_tokens when fewer than a thousand are affordable', async () => {
    const [caller] = await callersOf('0.002');
    const { code, metadata } = await errorOf(await ask(caller, {}, 'Hello'));
    expect([code, metadata.affordable_tokens]).toEqual([402, 992]);
  });

  test('gets 402 when its reasoning budget leaves no room for an answer', async () => {
    const [caller] = await callersOf('0.02');
    const thinking = { type: 'enabled', budget_tokens: 9_000 };
    const body = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }], thinking };
    const refused = await caller.call('POST', '/messages', { body });
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ error: { metadata: { affordable_tokens: 9_987 } } });
    const chat = await ask(caller, { reasoning: { max_tokens: 9_000 } }, 'Hello');
    expect(chat.status).toBe(402);
  });
});

describe('the max_tokens of a request', () => {
  test('reserves its full price, and the 402 names the number that fits', async () => {
    const [caller] = await callersOf('0.01');
    const { code, message, metadata } = await errorOf(await ask(caller, { max_tokens: 6_000 }, 'Hello'));
    expect([code, message]).toEqual([402, 'Key limit exceeded']);
    const most = metadata.affordable_tokens!;
    expect(most).toBeGreaterThan(4_900);
    expect((await ask(caller, { max_tokens: most + 1 }, 'Hello')).status).toBe(402);
    const answer = await ask(caller, { max_tokens: most }, 'Hello');
    expect(answer.status).toBe(200);
    expect(answer.headers.has('x-output-limit')).toBe(false);
  });
});

describe('pictures and files in a prompt', () => {
  test('add their estimated tokens to the reservation', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const [caller] = await callersOf('0.02');
    const asking = (content: object[], max_tokens: number) =>
      ask(caller, { max_tokens, messages: [{ role: 'user', content }] });
    // Five pictures are 10,000 tokens of the prompt, a hundredth of a dollar.
    const five = Array.from({ length: 5 }, () => image);
    expect((await asking(five, 5_100)).status).toBe(402);
    expect((await asking(five, 4_900)).status).toBe(200);
    const data = `data:application/pdf;base64,${'A'.repeat(106_666)}`;
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: data } };
    // 80,000 bytes are 20,000 tokens, which all of the money pays for.
    expect((await asking([file], 100)).status).toBe(402);
  });
});
