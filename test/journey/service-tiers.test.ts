import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addKey } from '../support/accounts.ts';
import { type BentVendor, piece, startBentVendor, whole } from '../support/bent-vendor.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, readEvents } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const MODEL = 'tiers/chat';

let gateway: Gateway;
let vendor: BentVendor;

beforeAll(async () => {
  vendor = await startBentVendor();
  gateway = await startGateway();
  serve(undefined);
  const overrides = [
    { serviceTier: 'flex', prompt: '0.000001', completion: '0.000005' },
    { serviceTier: 'priority', prompt: '0.000004', completion: '0.00002' },
    { serviceTier: 'batch', validFrom: '2999-01-01', prompt: '0.0000005' },
  ];
  const pricing = { prompt: '0.000002', completion: '0.00001', overrides };
  const endpoint = { adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addChatModel(gateway, MODEL, [{ provider: 'tiers', ...endpoint, pricing }]);
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** The vendor counts 1,000 tokens of a prompt and 100 of an answer, and names this tier. */
function serve(tier: string | undefined): void {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  const choice = whole({ content: 'Yes' }, 'stop');
  vendor.bend({ choice, events: [piece({ content: 'Yes' }), piece({}, 'stop')], usage, tier });
}

const [FLEX, STANDARD, PRIORITY] = [0.0015, 0.003, 0.006];

describe('a chat with a service tier', () => {
  test.each<[string | undefined, string | undefined, number]>([
    ['flex', 'flex', FLEX],
    ['flex', 'default', FLEX],
    ['flex', undefined, FLEX],
    ['flex', 'scale', FLEX],
    ['priority', 'priority', PRIORITY],
    ['priority', 'default', STANDARD],
    ['priority', undefined, PRIORITY],
    ['auto', 'flex', FLEX],
    ['default', 'priority', STANDARD],
    [undefined, 'priority', STANDARD],
    [undefined, undefined, STANDARD],
  ])('requested as %s and served as %s costs %d dollars', async (asked, served, cost) => {
    serve(served);
    const body = { model: MODEL, service_tier: asked };
    expect((await completed(await askChat(gateway, body))).usage).toMatchObject({ cost });
    const chunks = await readEvents(await askChat(gateway, { ...body, stream: true }));
    expect(chunks.at(-1)!.usage).toMatchObject({ cost });
    expect(JSON.parse(vendor.calls.at(-1)!.body)).toEqual(
      asked === undefined
        ? expect.not.objectContaining({ service_tier: expect.anything() })
        : expect.objectContaining({ service_tier: asked }),
    );
  });

  test.each(['scale', 'batch'])('gets 400 where the tier %s has no price now', async (tier) => {
    const error = await errorOf(await askChat(gateway, { model: MODEL, service_tier: tier }));
    expect([error.code, error.metadata.issues]).toEqual([
      400,
      [
        {
          path: 'body.service_tier',
          message: `must be a tier that ${MODEL} has prices for, or \`auto\` or \`default\``,
        },
      ],
    ]);
  });

  test.each([[['flex']], [7], ['']])('gets 400 for %j among the options of a provider', async (tier) => {
    const provider = { options: { tiers: { service_tier: tier } } };
    const error = await errorOf(await askChat(gateway, { model: MODEL, provider }));
    expect([error.code, error.metadata.issues]).toMatchObject([
      400,
      [{ path: 'body.provider.options.tiers.service_tier' }],
    ]);
  });

  test('may come from options for the provider', async () => {
    serve('flex');
    const provider = { options: { tiers: { service_tier: 'flex' } } };
    const { usage } = await completed(await askChat(gateway, { model: MODEL, provider }));
    expect(usage).toMatchObject({ cost: FLEX });
  });

  test('reserves by the prices of the requested tier', async () => {
    const { token } = await addKey(gateway, { limitNanos: parseUsd('0.06') });
    const caller = createCaller(gateway.origin, token);
    const ask = (tier: string) =>
      askChat(gateway, { model: MODEL, service_tier: tier, max_tokens: 4_000 }, caller);
    // 4,000 tokens of an answer cost 0.08, 0.04 or 0.02 dollars.
    expect(await errorOf(await ask('priority'))).toMatchObject({ code: 402 });
    serve('default');
    await completed(await ask('default'));
  });
});
