/** Checks that conditions of prices apply in each dialect of chat, to whole and to streamed answers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import { type BentVendor, piece, startBentVendor, whole } from '../support/bent-vendor.ts';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { generationIdOf } from '../support/chat.ts';
import { DIALECTS, type DialectName } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';

let gateway: Gateway;
let vendor: BentVendor;

beforeAll(async () => {
  vendor = await startBentVendor();
  gateway = await startGateway();
  serve({});
  await addModel('priced/tiers', {
    prompt: '0.000002',
    completion: '0.00001',
    overrides: [
      { serviceTier: 'flex', prompt: '0.000001', completion: '0.000005' },
      { serviceTier: 'priority', prompt: '0.000004', completion: '0.00002' },
    ],
  });
  await addModel('priced/media', {
    prompt: '0.000001',
    completion: '0.00001',
    audio: '0.000005',
    videoInput: '0.000003',
    inputCacheRead: '0.0000001',
    inputAudioCache: '0.0000005',
  });
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

function addModel(id: string, pricing: TokenPricing): Promise<void> {
  return addChatModel(gateway, id, [
    { provider: 'priced', adapter: 'openai-compatible', baseUrl: vendor.baseUrl, pricing },
  ]);
}

/** The vendor names this tier and counts these parts of a prompt of 1,000 tokens, and an answer of 100 tokens. */
function serve({ tier, parts }: { tier?: string; parts?: object }): void {
  const counts = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  const usage = { ...counts, prompt_tokens_details: parts };
  const choice = whole({ content: 'Yes' }, 'stop');
  vendor.bend({ choice, events: [piece({ content: 'Yes' }), piece({}, 'stop')], usage, tier });
}

/** Returns the costs of the same request, whole and streamed. */
async function costsIn(dialect: DialectName, fields: object): Promise<unknown[]> {
  const { path, body } = DIALECTS[dialect];
  const costs: unknown[] = [];
  for (const stream of [false, true]) {
    const answer = await gateway.call('POST', path, { body: { ...body, ...fields, stream } });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.anything()]);
    const generation = await getGeneration(
      createCaller(gateway.origin, gateway.apiKey),
      generationIdOf(answer),
    );
    costs.push(generation['total_cost']);
    expect(text).toContain(`"cost":${String(generation['total_cost'])}`);
  }
  return costs;
}

const [FLEX, STANDARD, PRIORITY] = [0.0015, 0.003, 0.006];

describe.each(Object.keys(DIALECTS) as DialectName[])('prices in the dialect %s', (dialect) => {
  test.each<[string | undefined, string | undefined, number]>([
    ['flex', 'flex', FLEX],
    ['flex', 'default', FLEX],
    ['priority', 'priority', PRIORITY],
    ['priority', 'default', STANDARD],
    ['priority', undefined, PRIORITY],
    ['auto', 'flex', FLEX],
    [undefined, 'priority', STANDARD],
  ])('bill the tier %s, served as %s, at %d dollars', async (asked, served, cost) => {
    serve(served === undefined ? {} : { tier: served });
    expect(await costsIn(dialect, { model: 'priced/tiers', service_tier: asked })).toEqual([cost, cost]);
  });

  test('bill sound, cached sound and video at their own prices', async () => {
    serve({
      parts: {
        cached_tokens: 300,
        cached_tokens_details: { audio_tokens: 100 },
        audio_tokens: 250,
        video_tokens: 200,
      },
    });
    // 350 × 0.000001 + 200 × 0.0000001 + 100 × 0.0000005 + 150 × 0.000005 + 200 × 0.000003 + 100 × 0.00001
    expect(await costsIn(dialect, { model: 'priced/media' })).toEqual([0.00277, 0.00277]);
  });
});
