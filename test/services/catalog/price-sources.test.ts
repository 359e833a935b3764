import { describe, expect, test } from '@jest/globals';
import { byPrecedence } from '../../../services/catalog/price-sources/entry-order.ts';
import { readPriceSource } from '../../../services/catalog/price-sources/read-price-source.ts';
import {
  indexModels,
  PriceSourceError,
  type SourceModel,
} from '../../../services/catalog/price-sources/source-model.ts';

const NOW = new Date('2026-11-28');
const only = (json: unknown, now = NOW): SourceModel => {
  const [model, ...others] = readPriceSource(json, now).models;
  expect(others).toEqual([]);
  return model as SourceModel;
};
const genai = (model: object): unknown => [{ id: 'acme', models: [{ id: 'fast', ...model }] }];
const litellm = (model: object): unknown => ({
  'acme/fast': { litellm_provider: 'acme', mode: 'chat', ...model },
});
const modelsDev = (model: object): unknown => ({
  acme: { id: 'acme', models: { fast: { id: 'fast', ...model } } },
});

describe('data of genai-prices', () => {
  test('has prices of a million tokens, and steps as entries', () => {
    const tiers = (base: number, price: number): object => ({ base, tiers: [{ start: 200_000, price }] });
    const { provider, id, pricing, contextLength, names, unread } = only(
      genai({
        match: { or: [{ equals: 'fast-2026-01-01' }, { starts_with: 'fast' }] },
        context_window: 1_000_000,
        prices: {
          input_mtok: tiers(1.25, 2.5),
          output_mtok: tiers(10, 15),
          cache_write_1h_mtok: 2.5,
          web_searches_kcount: 10,
        },
      }),
    );
    expect({ provider, id, contextLength, names, unread }).toEqual({
      provider: 'acme',
      id: 'fast',
      contextLength: 1_000_000,
      names: ['fast-2026-01-01'],
      unread: ['web_searches_kcount'],
    });
    expect(pricing).toEqual({
      prompt: '0.00000125',
      completion: '0.00001',
      inputCacheWriteHour: '0.0000025',
      overrides: [{ minPromptTokens: 200_000, prompt: '0.0000025', completion: '0.000015' }],
    });
  });

  const dated = genai({
    prices: [
      { prices: { input_mtok: 1, output_mtok: 2, cache_read_mtok: 0.1 } },
      {
        constraint: { type: 'start_date', start_date: '2027-01-01' },
        prices: { input_mtok: 3, output_mtok: 4 },
      },
    ],
  });

  test('has later prices as entries from their date on, which replace all of the earlier ones', () => {
    expect(only(dated).pricing).toEqual({
      prompt: '0.000001',
      completion: '0.000002',
      inputCacheRead: '0.0000001',
      overrides: [
        { validFrom: '2027-01-01', prompt: '0.000003', completion: '0.000004', inputCacheRead: '0.000003' },
      ],
    });
  });

  test('has the later prices alone once their date has come', () => {
    expect(only(dated, new Date('2027-01-01')).pricing).toEqual({
      prompt: '0.000003',
      completion: '0.000004',
      overrides: [],
    });
  });

  test('has daily windows as entries', () => {
    const window = { type: 'time_of_date', start_time: '01:00:00Z', end_time: '04:30:00Z' };
    const prices = [{ prices: { input_mtok: 1 } }, { constraint: window, prices: { input_mtok: 2 } }];
    expect(only(genai({ prices })).pricing.overrides).toEqual([
      { utcStart: 100, utcEnd: 430, prompt: '0.000002' },
    ]);
  });

  test.each([
    ['a negative price', { prices: { input_mtok: -1 } }],
    ['a step at no length', { prices: { input_mtok: { base: 1, tiers: [{ price: 2 }] } } }],
    ['an unknown condition', { prices: [{ constraint: { type: 'moon' }, prices: {} }] }],
    [
      'a window of another time zone',
      {
        prices: [
          {
            constraint: { type: 'time_of_date', start_time: '01:00:00+02:00', end_time: '04:00:00Z' },
            prices: {},
          },
        ],
      },
    ],
    ['a name with control characters', { id: 'fast\u001b[31m', prices: {} }],
    ['prices that are a text', { prices: 'free' }],
  ])('cannot have %s', (_what, model) => {
    expect(() => readPriceSource(genai(model), NOW)).toThrow(PriceSourceError);
  });
});

describe("LiteLLM's map", () => {
  test('has prices of one token, with lengths and tiers in the names', () => {
    const model = only(
      litellm({
        input_cost_per_token: 2e-6,
        output_cost_per_token: 1e-5,
        cache_creation_input_token_cost_above_1hr: 4e-6,
        input_cost_per_token_priority: 4e-6,
        input_cost_per_token_above_272k_tokens_flex: 2e-6,
        input_cost_per_token_above_272k_tokens: 4e-6,
        input_cost_per_token_flex: 1e-6,
        input_cost_per_token_batches: 1e-6,
        input_cost_per_token_ultrafast: 9e-6,
        input_cost_per_audio_token: 1e-6,
        search_context_cost_per_query: { search_context_size_low: 0.01 },
      }),
    );
    expect(model.pricing).toEqual({
      prompt: '0.000002',
      completion: '0.00001',
      inputCacheWriteHour: '0.000004',
      audio: '0.000001',
      overrides: [
        { minPromptTokens: 272_000, prompt: '0.000004' },
        { serviceTier: 'flex', prompt: '0.000001' },
        { minPromptTokens: 272_000, serviceTier: 'flex', prompt: '0.000002' },
        { serviceTier: 'priority', prompt: '0.000004' },
      ],
    });
    expect(model.unread).toEqual(['input_cost_per_token_ultrafast']);
  });

  test('has limits, modalities, parameters and the date of retirement', () => {
    expect(
      only(
        litellm({
          max_input_tokens: 922_000,
          max_output_tokens: '128000',
          supports_vision: true,
          supports_pdf_input: true,
          supports_function_calling: true,
          supports_response_schema: false,
          deprecation_date: '2026-12-11',
        }),
      ),
    ).toMatchObject({
      provider: 'acme',
      id: 'fast',
      maxPromptTokens: 922_000,
      maxCompletionTokens: undefined,
      inputModalities: ['text', 'image', 'file'],
      parameters: ['tools'],
      expirationDate: '2026-12-11',
    });
  });

  test('has prices by the character, second and search for models that speak or rank', () => {
    const speech = { mode: 'audio_speech', input_cost_per_character: 1.5e-5, input_cost_per_query: 1 };
    expect(only(litellm(speech)).pricing).toEqual({ character: '0.000015', overrides: [] });
    expect(only(litellm({ mode: 'rerank', input_cost_per_query: 0.002 })).pricing.searchUnit).toBe('0.002');
  });

  test.each([
    ['claude-opus-5-5', 'anthropic_models'],
    ['openai/gpt-oss-120b-maas', 'openai_models'],
    ['zai-org/glm-5.2-maas', 'zai_models'],
    ['gemini-embedding-001', 'embedding-models'],
  ])('has %s of Vertex AI by the name that its API has', (name, kind) => {
    const key = kind === 'embedding-models' ? name : `vertex_ai/${name}`;
    const map = { [key]: { litellm_provider: `vertex_ai-${kind}`, mode: 'chat' } };
    expect(only(map)).toMatchObject({ provider: 'google-vertex', id: name });
  });

  test('leaves out its sample and models without a vendor', () => {
    const { models } = readPriceSource(
      { sample_spec: { litellm_provider: 'x' }, nobody: {}, b: { litellm_provider: 'acme' } },
      NOW,
    );
    expect(models.map(({ id }) => id)).toEqual(['b']);
  });

  test.each([
    ['a price that is a text', { input_cost_per_token: '1e-6' }],
    ['a negative price', { output_cost_per_token_flex: -1 }],
    ['a vendor of two lines', { litellm_provider: 'a\nb' }],
  ])('cannot have %s', (_what, model) => {
    expect(() => readPriceSource(litellm(model), NOW)).toThrow(PriceSourceError);
  });
});

describe('data of models.dev', () => {
  test('has prices, steps, limits, modalities, parameters and dates', () => {
    const step = { input: 10, output: 45, tier: { type: 'context', size: 272_000 } };
    const model = only(
      modelsDev({
        tool_call: true,
        reasoning: true,
        temperature: false,
        knowledge: '2026-02',
        release_date: '2026-04-23',
        modalities: { input: ['text', 'pdf'], output: ['text'] },
        limit: { context: 1_050_000, output: 128_000 },
        cost: { input: 5, output: 30, cache_read: 0.5, tiers: [step], context_over_200k: { input: 99 } },
      }),
    );
    expect(model).toEqual({
      provider: 'acme',
      id: 'fast',
      names: [],
      unread: [],
      pricing: {
        prompt: '0.000005',
        completion: '0.00003',
        inputCacheRead: '0.0000005',
        overrides: [{ minPromptTokens: 272_000, prompt: '0.00001', completion: '0.000045' }],
      },
      contextLength: 1_050_000,
      maxPromptTokens: undefined,
      maxCompletionTokens: 128_000,
      inputModalities: ['text', 'file'],
      outputModalities: ['text'],
      parameters: ['tools', 'tool_choice', 'reasoning'],
      knowledgeCutoff: '2026-02-28',
      releaseDate: '2026-04-23',
    });
  });

  test('has one step at 200,000 tokens in older files', () => {
    const cost = { input: 2, output: 12, context_over_200k: { input: 4, output: 18 } };
    expect(only(modelsDev({ cost })).pricing.overrides).toEqual([
      { minPromptTokens: 200_000, prompt: '0.000004', completion: '0.000018' },
    ]);
  });

  test('cannot have a step by anything but the context', () => {
    const cost = { input: 2, output: 12, tiers: [{ input: 1, tier: { type: 'requests', size: 5 } }] };
    expect(() => readPriceSource(modelsDev({ cost }), NOW)).toThrow(PriceSourceError);
  });
});

describe('a price source', () => {
  test.each([
    ['null', null],
    ['a text', 'prices'],
    ['an empty object', {}],
    ['an empty list', []],
    ['a list of texts', ['gpt']],
    ['another object', { gpt: { price: 1 } }],
    ['no model', [{ id: 'acme', models: [] }]],
    ['too many models', [{ id: 'acme', models: Array.from({ length: 50_001 }, () => ({})) }]],
  ])('cannot be %s', (_what, json) => {
    expect(() => readPriceSource(json, NOW)).toThrow(PriceSourceError);
  });

  test('changes no other object by names such as __proto__', () => {
    const json: unknown = JSON.parse(
      '{"__proto__":{"litellm_provider":"acme","__proto__":1,"constructor":2},"toString":{"litellm_provider":"acme"}}',
    );
    expect(readPriceSource(json, NOW).models.map(({ id }) => id)).toEqual(['__proto__', 'toString']);
    expect({}).not.toHaveProperty('litellm_provider');
  });

  test('finds a model by its id before other names, and by a dated name', () => {
    const model = (id: string, names: string[]): SourceModel => ({
      provider: 'acme',
      id,
      names,
      pricing: { overrides: [] },
      unread: [],
    });
    const find = indexModels([model('fast', []), model('slow', ['fast', 'old'])]);
    expect(find('acme', 'fast')?.id).toBe('fast');
    expect(find('acme', 'old')?.id).toBe('slow');
    expect(find('acme', 'slow-2026-01-01')?.id).toBe('slow');
    expect(find('acme', 'slow-20260101')?.id).toBe('slow');
    expect(find('other', 'fast')).toBeUndefined();
    expect(find('acme', 'fas')).toBeUndefined();
  });
});

test('keeps the order of hours and steps when prices are merged', () => {
  const night = { utcStart: 1630, utcEnd: 30, prompt: '1' };
  const long = { minPromptTokens: 200_000, prompt: '4' };
  expect([night, long].toSorted(byPrecedence)).toEqual([long, night]);
});
