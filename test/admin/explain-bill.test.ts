import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCatalog } from '../../admin/catalog.ts';
import { runAdmin } from '../support/admin.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createDatabase, type Database } from '../support/open-database.ts';

const PRICING = {
  prompt: '0.000002',
  completion: '0.00001',
  inputCacheRead: '0.0000002',
  overrides: [
    { minPromptTokens: 272_000, prompt: '0.000004', completion: '0.000015', inputCacheRead: '0.0000004' },
    { serviceTier: 'flex', validFrom: '2027-01-01', prompt: '0.000001' },
  ],
};

let gateway: Gateway;
let database: Database;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_OTHER_API_KEY: 'upstream-key' } });
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  await addChatModel(
    gateway,
    'acme/long',
    [
      { provider: 'local', upstreamModelId: 'chat-canned', pricing: PRICING, contextLength: 400_000 },
      { provider: 'other', adapter: 'local', pricing: { prompt: '0.000003', completion: '0.000003' } },
    ],
    { aliases: ['acme/longest'] },
  );
});
afterAll(async () => {
  await database.close();
  await gateway.close();
});

const AT = ['--at', '2026-11-28T12:00:00Z'];
const explain = async (...args: string[]): Promise<string> =>
  (await runCatalog(database.knex, ['explain', ...args, ...AT])).text;

describe('admin catalog explain', () => {
  test('prints the bill of docs/prices.md, one token beyond the edge of a step', async () => {
    const [first, second] = (
      await explain('long', '--prompt', '272001', '--output', '1000', '--cached', '100000')
    ).split('\n\n');
    const lines = first!.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
    const entry = 'overrides[0] (minPromptTokens 272000)';
    expect(lines.slice(0, 6)).toEqual([
      'acme/long@local, standard tier, 2026-11-28T12:00:00.000Z',
      'count | $ per million | price | cost',
      `prompt | 172,001 | 4 | prompt of ${entry} | 0.688004`,
      `cached prompt | 100,000 | 0.4 | inputCacheRead of ${entry} | 0.04`,
      `answer | 1,000 | 15 | completion of ${entry} | 0.015`,
      'total | 0.743004',
    ]);
    expect(second).toContain('acme/long@other, standard tier');
    expect(second).toMatch(/total +0\.819003$/m);
  });

  test('prints the lower prices at the edge', async () => {
    const text = await explain(
      'acme/longest',
      '--prompt',
      '272000',
      '--output',
      '1000',
      '--cached',
      '100000',
    );
    expect(text).toMatch(/^ {2}prompt +172,000 +2 +prompt +0\.344$/m);
    expect(text).toMatch(/^ {2}total +0\.374$/m);
  });

  test('prints what is reserved: the text and the longest answer, at the dearer step that it may reach', async () => {
    const [first] = (await explain('acme/long', '--prompt', '100000', '--output', '1000')).split('\n\n');
    const [, reserved, most] = /reserved: ([\d.]+) for .*, ([\d.]+) for a token a byte$/.exec(first!)!;
    // 400,000 bytes may be more than 272,000 tokens.
    expect(Number(reserved)).toBeCloseTo(100_000 * 0.000004 + 1_000 * 0.000015, 3);
    expect(Number(most)).toBeCloseTo(400_000 * 0.000004 + 1_000 * 0.000015, 3);
  });

  test('goes by the tier and the time', async () => {
    const flex = ['acme/long', '--prompt', '1000000', '--tier', 'flex'];
    expect(await explain(...flex)).toContain('It has no prices for this tier');
    const { text: later } = await runCatalog(database.knex, [
      'explain',
      ...flex,
      '--at',
      '2027-01-01T00:00:00Z',
    ]);
    expect(later).toContain('overrides[1] (validFrom 2027-01-01, serviceTier flex)');
    expect(later).toMatch(/total +1$/m);
    expect(later).toContain('longer than the context of 400,000 tokens');
  });

  test('prints the cost at which a request was billed', async () => {
    const { id, usage } = await completed(await askChat(gateway, { model: 'acme/long' }));
    const counts = ['--prompt', `${usage!.prompt_tokens}`, '--output', `${usage!.completion_tokens}`];
    const text = await explain('acme/long', ...counts);
    const { cost_nanos: nanos } = await ledgerRow(gateway, id);
    const [, total] = /total +([\d.]+)$/m.exec(text)!;
    expect(Math.round(Number(total) * 1e9)).toBe(Number(nanos));
  });

  test('says that other models are not priced by tokens', async () => {
    expect(await explain('local/image-1', '--prompt', '5')).toContain('It is not priced by tokens alone.');
    await expect(explain('local/clip-1', '--prompt', '5')).rejects.toThrow('no endpoint that is priced by');
  });

  test.each([
    [['acme/lang', '--prompt', '5'], 'Did you mean acme/long?'],
    [['acme/long'], '--prompt'],
    [['acme/long', '--prompt', '-5'], '--prompt'],
    [['acme/long', '--prompt', '1e3'], '--prompt must be a whole number'],
    [['acme/long', '--prompt', '5', '--cached', '6'], 'are parts of --prompt'],
    [['acme/long', '--prompt', '5', '--reasoning', '1'], '--reasoning is a part of --output'],
    [['acme/long', '--prompt', '5', '--at', 'noon'], '--at must be a time'],
    [[], 'MODEL is missing'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runAdmin(gateway, ['catalog', 'explain', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
