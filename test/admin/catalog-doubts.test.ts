/** Checks that `admin catalog update` refuses files that would change what customers pay by mistake. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AdminUsageError } from '../../admin/arguments.ts';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { litellm, type PriceMap, setUpUpdates } from '../support/catalog-updates.ts';

const scene = setUpUpdates();
const { restore, update, pricingOf } = scene;
const SOL = 'openai/gpt-6.1-sol@openai';

beforeEach(() => {
  scene.said = '';
});

describe('catalog update from a doubtful file', () => {
  const scaled = (factor: number): PriceMap =>
    Object.fromEntries(
      Object.entries(litellm()).map(([key, model]) => [
        key,
        Object.fromEntries(
          Object.entries(model).map(([name, value]) => [
            name,
            name.includes('cost') && typeof value === 'number' ? value * factor : value,
          ]),
        ),
      ]),
    );
  const changed = (change: (model: PriceMap[string]) => void): PriceMap => {
    const map = litellm();
    for (const model of Object.values(map)) change(model);
    return map;
  };
  const isStep = (name: string): boolean => /_above_\d+k_tokens/.test(name);
  const few = (): PriceMap => Object.fromEntries(Object.entries(litellm()).filter((_, i) => i % 10 === 0));

  test.each([
    ['halves all prices', () => scaled(0.5), /makes \d+ of \d+ endpoints cheaper by a third or more/],
    ['doubles all prices', () => scaled(2), /makes \d+ of \d+ endpoints dearer by half or more/],
    [
      'makes a price zero',
      () => ({
        ...litellm(),
        'gpt-5.5': { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 3e-5 },
      }),
      /makes a price of 1 of \d+ endpoints zero/,
    ],
    [
      'makes long prompts free',
      () => changed((model) => Object.assign(model, { input_cost_per_token_above_1k_tokens: 0 })),
      /makes a price of \d+ of \d+ endpoints zero/,
    ],
    [
      'makes reading a cache free',
      () => changed((model) => Object.assign(model, { cache_read_input_token_cost: 0 })),
      /makes a price of \d+ of \d+ endpoints zero/,
    ],
    [
      'drops all steps',
      () => changed((model) => Object.keys(model).forEach((name) => isStep(name) && delete model[name])),
      /makes \d+ of \d+ endpoints with steps cheaper by a third or more/,
    ],
    [
      'makes one price a million times dearer',
      () => ({ ...litellm(), 'gpt-5.5': { ...litellm()['gpt-5.5'], output_cost_per_token: 30 } }),
      /changes a price of 1 of \d+ endpoints by ten times or more/,
    ],
    [
      'has one vendor only',
      () =>
        Object.fromEntries(
          Object.entries(litellm()).filter(([, model]) => model['litellm_provider'] === 'cohere'),
        ),
      /lacks \d+ of \d+ vendors/,
    ],
    ['drops 90 % of the models', few, /lacks \d+ of \d+ endpoints of its vendors/],
    [
      'has other models only',
      () => ({ x: { litellm_provider: 'nobody', input_cost_per_token: 1 } }),
      /has none of the models in the catalog/,
    ],
  ])('refuses a file that %s, and says why', async (_what, file, reason) => {
    const before = await createCatalogStore(scene.database.knex).loadSourced();
    await expect(update(file(), '--yes')).rejects.toThrow(reason);
    expect(await createCatalogStore(scene.database.knex).loadSourced()).toEqual(before);
    expect(await update(file(), '--dry-run')).toMatch(reason);
  });

  test('writes it with --force', async () => {
    expect(await update(scaled(0.5), '--yes', '--force')).toMatch(/^\d+ rows written\.$/);
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000001' });
    await restore();
  });

  test.each([
    ['is empty', '', /is not JSON/],
    ['is an empty object', {}, /neither of genai-prices/],
    [
      'has a price that is a text',
      { x: { litellm_provider: 'openai', input_cost_per_token: '1' } },
      /x\.input_cost_per_token must be a number/,
    ],
    ['is nested deeply', '['.repeat(100_000), /is not JSON/],
    ['has control characters', { 'a\u001b[2J': { litellm_provider: 'openai' } }, /must be a name/],
    ['breaks the rules of catalogs', { providers: [], models: [{}], endpoints: [] }, /models\.0\.id/],
  ])('refuses a file that %s even with --force', async (_what, file, reason) => {
    const refusal = update(file, '--yes', '--force');
    await expect(refusal).rejects.toThrow(AdminUsageError);
    await expect(refusal).rejects.toThrow(reason);
  });
});
