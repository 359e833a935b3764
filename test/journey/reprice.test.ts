/** Checks that what generations keep of their bills gives the same bills again, for every operation. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BentVendor, piece, startBentVendor, whole } from '../support/bent-vendor.ts';
import { runAdmin } from '../support/admin.ts';
import { createCaller, type Caller } from '../support/caller.ts';
import {
  addChatModel,
  addEmbeddingsModel,
  addImageModel,
  addRerankModel,
  addSpeechModel,
} from '../support/catalog.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';
import { ended, submit } from '../support/jobs.ts';
import { addPrivateEndpoint, clearOwnResources, noticed } from '../support/own-resources.ts';

const CHAT = 'priced/chat';
const FREE = { prompt: '0', completion: '0' };
/** Prices with conditions of every kind, which the vendor's counts below meet in part. */
const PRICING = {
  prompt: '0.000002',
  completion: '0.00001',
  request: '0.001',
  inputCacheRead: '0.0000002',
  inputCacheWrite: '0.0000025',
  inputCacheWriteHour: '0.000004',
  audio: '0.00003',
  internalReasoning: '0.000012',
  audioOutput: '0.00007',
  overrides: [
    { minPromptTokens: 1_000, prompt: '0.000004', completion: '0.000015' },
    { inputModality: 'image' as const, prompt: '9' },
    { outputModality: 'text' as const, internalReasoning: '0.000013' },
    { serviceTier: 'flex', prompt: '0.000001' },
    { validFrom: '2999-01-01', prompt: '9' },
  ],
};

let gateway: Gateway;
let vendor: BentVendor;
let caller: Caller;

beforeAll(async () => {
  vendor = await startBentVendor();
  gateway = await startGateway({ worker: ['video'] });
  caller = createCaller(gateway.origin, gateway.apiKey);
  serve({});
  await addChatModel(gateway, CHAT, [vendorEndpoint(PRICING)]);
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

function vendorEndpoint(pricing: typeof PRICING) {
  return { provider: 'priced', adapter: 'openai-compatible', baseUrl: vendor.baseUrl, pricing };
}

const USAGE = {
  prompt_tokens: 1_500,
  completion_tokens: 90,
  prompt_tokens_details: {
    cached_tokens: 400,
    cache_write_tokens: 300,
    cache_write_1h_tokens: 100,
    audio_tokens: 50,
  },
  completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 20 },
};

function serve({ usage = USAGE, tier }: { usage?: object | null; tier?: string | undefined }): void {
  const choice = whole({ content: 'Yes' }, 'stop');
  vendor.bend({ choice, events: [piece({ content: 'Yes' }), piece({}, 'stop')], usage, tier });
}

const RANGE = ['--from', '2026-01-01', '--to', '2999-01-01'];

/** Runs the command over all generations so far, and returns what it prints. */
async function reprice(code: number, ...more: string[]): Promise<string> {
  const ran = await runAdmin(gateway, ['ledger', 'reprice', ...RANGE, ...more]);
  expect([ran.code, ran.stderr]).toEqual([code, '']);
  return ran.stdout;
}

async function allKept(): Promise<number> {
  const { rows } = await gateway.database.query<{ kept: number; bare: number }>(
    `select count(d.bill)::integer kept, count(*) filter (where d.bill is null)::integer bare
     from generations g left join generation_details d using (created_at, id)`,
  );
  expect(rows[0]!.bare).toBe(0);
  return rows[0]!.kept;
}

async function pay(path: string, body: object): Promise<string> {
  const answer = await caller.call('POST', path, { body });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  return generationIdOf(answer);
}

describe('ledger reprice', () => {
  test('reproduces the bills of chats with steps, caches and tiers, whole and streamed', async () => {
    for (const [asked, tier] of [[], ['flex', 'flex'], ['flex', 'default'], ['default', 'flex']]) {
      for (const promptTokens of [1_000, 1_001]) {
        serve({ usage: { ...USAGE, prompt_tokens: promptTokens }, tier });
        await completed(await askChat(gateway, { model: CHAT, service_tier: asked }));
        await readEvents(await askChat(gateway, { model: CHAT, service_tier: asked, stream: true }));
      }
    }
    serve({});
    for (const stream of [false, true]) {
      const messages = [{ role: 'user', content: 'Hi' }];
      await pay('/messages', { model: CHAT, max_tokens: 100, messages, stream });
      await pay('/responses', { model: CHAT, input: 'Hi', stream });
    }
    const kept = await allKept();
    expect(await reprice(0)).toContain(`All ${kept} kept bills are reproduced`);
  });

  test('reproduces the bills of media, embeddings and a video', async () => {
    const at = (pricing: object) => [{ provider: 'local', pricing: { ...FREE, ...pricing } }];
    await addImageModel(
      gateway,
      'priced/images',
      at({ outputImage: '0.001', outputMegapixel: '0.0123', imageOutput: '0.00001', prompt: '0.000003' }),
    );
    await addSpeechModel(
      gateway,
      'priced/speech',
      at({ character: '0.001', outputSecond: '0.0007', prompt: '0.000003' }),
    );
    await addRerankModel(gateway, 'priced/rerank', at({ searchUnit: '0.001', prompt: '0.0000031' }));
    await addEmbeddingsModel(
      gateway,
      'priced/embeddings',
      at({ request: '0.001', overrides: [{ minPromptTokens: 1, request: '0.005' }] }),
    );
    await pay('/images', { model: 'priced/images', prompt: 'A paper boat', n: 2 });
    await pay('/images', { model: 'priced/images', prompt: 'A paper boat', stream: true });
    await pay('/audio/speech', { model: 'priced/speech', input: 'Hello, you there' });
    await pay('/rerank', { model: 'priced/rerank', query: 'a', documents: ['b', 'c'] });
    await pay('/embeddings', { model: 'priced/embeddings', input: 'some words' });
    const { id } = await submit(caller);
    expect(await ended(caller, id)).toMatchObject({ status: 'completed' });
    const kept = await allKept();
    expect(await reprice(0)).toContain(`All ${kept} kept bills are reproduced`);
    expect(await reprice(0, '--model', 'local/clip-canned')).toMatch(
      /^local\/clip-canned +operator's +1 +0\.01 +0\.01 +0$/m,
    );
  });

  test("reproduces the bills of a customer's endpoint, and reports them apart", async () => {
    const id = await addPrivateEndpoint(gateway, vendor.baseUrl);
    const body = { provider: { only: [id] } };
    await noticed(async () => (await askChat(gateway, body)).status === 200);
    const { rows } = await gateway.database.query(
      'select is_private from price_versions where endpoint_id = $1',
      [id],
    );
    expect(rows).toEqual([{ is_private: true }]);
    const kept = await allKept();
    const text = await reprice(0);
    expect(text).toContain(`All ${kept} kept bills are reproduced`);
    expect(text).toMatch(/^local\/echo-1 +customer's +1 /m);
    await clearOwnResources(gateway);
  });

  test("shows what the range costs by today's prices after an import", async () => {
    const { id } = await completed(await askChat(gateway, { model: CHAT }));
    const before = (await ledgerRow(gateway, id)).cost_nanos;
    await addChatModel(gateway, CHAT, [vendorEndpoint({ ...PRICING, request: '1.001' })]);
    const now = await untilBilled((cost) => cost - BigInt(before) === 1_000_000_000n);
    expect((await ledgerRow(gateway, now)).cost_nanos).toBe(`${BigInt(before) + 1_000_000_000n}`);
    const { rows } = await gateway.database.query<{ n: number }>(
      `select count(*)::integer n from generations where model = '${CHAT}' and cost_nanos < 1000000000`,
    );
    const text = await reprice(0, '--model', CHAT);
    expect(text).toMatch(new RegExp(`^${CHAT} +operator's .* ${rows[0]!.n}$`, 'm'));
  });
});

describe('a price that changes while a stream runs', () => {
  test('leaves the stream at the prices by which it was reserved', async () => {
    const { id: earlier } = await completed(await askChat(gateway, { model: CHAT }));
    const expected = (await ledgerRow(gateway, earlier)).cost_nanos;
    const finish = Promise.withResolvers<void>();
    const usual = vendor.answer;
    vendor.answer = (call, response, request) => {
      if (!call.body.includes('"stream":true')) return usual(call, response, request);
      const send = (event: object) =>
        response.write(`data: ${JSON.stringify({ id: 'slow', created: 1, model: 'slow', ...event })}\n\n`);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      send(piece({ content: 'Yes' }));
      void finish.promise.then(() => {
        send(piece({}, 'stop'));
        send({ choices: [], usage: USAGE });
        response.end('data: [DONE]\n\n');
      });
    };
    const stream = await askChat(gateway, { model: CHAT, stream: true });
    await addChatModel(gateway, CHAT, [vendorEndpoint({ ...PRICING, request: '5.001' })]);
    await untilBilled((cost) => cost > 5_000_000_000n);
    finish.resolve();
    const chunks = await readEvents(stream);
    vendor.answer = usual;
    expect((await ledgerRow(gateway, chunks[0]!.id)).cost_nanos).toBe(expected);
    const kept = await allKept();
    expect(await reprice(0)).toContain(`All ${kept} kept bills are reproduced`);
  });
});

describe('the report of ledger reprice', () => {
  const ask = async (body: object = {}): Promise<string> =>
    (await completed(await askChat(gateway, { model: CHAT, ...body }))).id;

  test('lists flagged bills: estimated ones, and served tiers without a price', async () => {
    serve({ usage: null });
    const estimated = await ask();
    serve({ usage: { completion_tokens: 90, prompt_tokens: 0 } });
    const uncounted = await ask();
    serve({ usage: { prompt_tokens: 1_500 } });
    const unanswered = await ask();
    serve({ tier: 'scale' });
    const unpriced = await ask({ service_tier: 'flex' });
    expect(await Promise.all([estimated, uncounted, unanswered, unpriced].map(flagsOf))).toEqual([
      ['estimated'],
      ['estimated'],
      ['estimated'],
      ['unpriced_tier'],
    ]);
    expect(await ledgerRow(gateway, uncounted)).toMatchObject({ tokens_completion: 90 });
    expect((await ledgerRow(gateway, uncounted)).tokens_prompt).toBeGreaterThan(0);
    expect((await ledgerRow(gateway, unanswered)).tokens_completion).toBeGreaterThan(0);
    expect((await getGeneration(caller, unpriced))['service_tier']).toBe('scale');
    serve({});
    expect(await flagsOf(await ask())).toBeNull();
    const text = await reprice(0, '--model', CHAT);
    expect(text).toMatch(/^estimated +priced +priced\/chat +3 +\d/m);
    expect(text).toMatch(/^unpriced_tier +priced +priced\/chat +1 +\d/m);
  });

  test('says which generations cannot be repriced, and why', async () => {
    const old = await ask();
    await pay('/embeddings', { model: 'priced/embeddings', input: 'a' });
    await gateway.database.query('update generation_details set bill = null where id = $1', [old]);
    await gateway.database.query(`update endpoints set enabled = false where model_id = 'priced/embeddings'`);
    const text = await reprice(0);
    expect(text).toMatch(/^recorded by a version that did not keep bills +1 +\d/m);
    expect(text).toMatch(/^its endpoint is gone or off, and has no prices today +[1-9]/m);
    expect(text).not.toMatch(/^priced\/embeddings/m);
  });

  test('exits 1 and shows a bill that its prices do not reproduce', async () => {
    const id = await ask();
    await gateway.database.query('update generations set cost_nanos = cost_nanos + 1 where id = $1', [id]);
    const text = await reprice(1);
    expect(text).toMatch(new RegExp(`^${id} +5\\.\\d+1 +5\\.\\d+$`, 'm'));
    expect(text).toMatch(/^1 of \d+ kept bills are NOT reproduced by the prices that they name\.$/m);
    expect(await reprice(0, '--organization', randomUUID())).toContain('No generation can be repriced.');
  });
});

async function flagsOf(id: string): Promise<unknown> {
  const { rows } = await gateway.database.query<{ flags: unknown }>(
    `select bill->'flags' flags from generation_details where id = $1`,
    [id],
  );
  return rows[0]!.flags;
}

/** Asks until a chat costs what is expected; returns its id. */
async function untilBilled(isExpected: (cost: bigint) => boolean): Promise<string> {
  for (;;) {
    const { id } = await completed(await askChat(gateway, { model: CHAT }));
    if (isExpected(BigInt((await ledgerRow(gateway, id)).cost_nanos))) return id;
  }
}
