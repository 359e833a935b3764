import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { CORRECTIONS } from '../../services/catalog/price-sources/corrections.ts';
import { hashOf, readExtracts } from '../../dev/catalog/read-extracts.ts';
import { mergePricing } from '../../dev/catalog/merge-prices.ts';
import { buildCatalog } from '../../dev/catalog/build-catalog.ts';
import { CATALOGS } from '../../dev/catalog/vendors.ts';
import type { TokenPrices } from '../../domain/catalog/token-pricing.ts';
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import type { SourcePricing } from '../../services/catalog/price-sources/source-model.ts';

const extracts = readExtracts();
const catalogs = bundledCatalogs();
const models = catalogs.flatMap((catalog) => catalog.models);
const endpoints = catalogs
  .flatMap((catalog) => catalog.liveEndpoints)
  // The prices of fal are not in the public data; fal-prices.test.ts has them.
  .filter(({ providerSlug }) => providerSlug !== 'local' && providerSlug !== 'fal');

/** The raw data of genai-prices, read here without the parser of the product. */
interface RawModel {
  id: string;
  match?: { equals?: string; or?: { equals?: string }[] };
  prices: RawPrices | { constraint?: { start_date: string }; prices: RawPrices }[];
}
type RawPrices = Record<string, number | { base: number; tiers: { start: number; price: number }[] }>;

/** The source's own names of vendors. */
const RAW_VENDORS: Record<string, string> = { xai: 'x-ai', 'z-ai': 'zai', bedrock: 'aws' };

const raw = extracts['genai-prices'].data as { id: string; models: RawModel[] }[];

function rawPricesOf({ providerSlug, upstreamModelId }: LiveEndpoint): RawPrices | undefined {
  const names = [upstreamModelId, upstreamModelId.replace(/-\d{8}$/, '')];
  const model = raw
    .find(({ id }) => id === (RAW_VENDORS[providerSlug] ?? providerSlug))
    ?.models.find(({ id, match }) =>
      [id, match?.equals, ...(match?.or ?? []).map(({ equals }) => equals)].some((name) =>
        names.includes(name ?? ''),
      ),
    );
  if (model === undefined) return undefined;
  const { date } = extracts['genai-prices'].facts;
  return Array.isArray(model.prices)
    ? model.prices.findLast(({ constraint }) => constraint === undefined || constraint.start_date <= date)
        ?.prices
    : model.prices;
}

const RAW_NAMES: [string, keyof TokenPrices][] = [
  ['input_mtok', 'prompt'],
  ['output_mtok', 'completion'],
  ['cache_read_mtok', 'inputCacheRead'],
  ['cache_write_mtok', 'inputCacheWrite'],
  ['cache_write_1h_mtok', 'inputCacheWriteHour'],
  ['input_image_mtok', 'imageInput'],
  ['input_video_mtok', 'videoInput'],
  ['input_audio_mtok', 'audio'],
  ['cache_audio_read_mtok', 'inputAudioCache'],
  ['output_image_mtok', 'imageOutput'],
];

/** LiteLLM's names of prices, all dollars of one token. */
const LITELLM_NAMES: [string, keyof TokenPrices][] = [
  ['input_cost_per_token', 'prompt'],
  ['output_cost_per_token', 'completion'],
  ['cache_read_input_token_cost', 'inputCacheRead'],
  ['cache_creation_input_token_cost', 'inputCacheWrite'],
  ['cache_creation_input_token_cost_above_1hr', 'inputCacheWriteHour'],
];
const TIERS = [undefined, 'flex', 'priority'];

/** LiteLLM's own names of vendors. */
const LITELLM_VENDORS: Record<string, string> = {
  google: 'gemini',
  'google-vertex': 'vertex_ai',
  together: 'together_ai',
  fireworks: 'fireworks_ai',
  moonshotai: 'moonshot',
  'z-ai': 'zai',
  alibaba: 'dashscope',
  jina: 'jina_ai',
  'bedrock-mantle': 'bedrock_mantle',
};

/** The raw entry of LiteLLM's map, read here without the parser of the product. */
function litellmOf({ providerSlug, upstreamModelId }: LiveEndpoint): Record<string, unknown> | undefined {
  const map = extracts.litellm.data as Record<string, Record<string, unknown>>;
  const vendor = LITELLM_VENDORS[providerSlug] ?? providerSlug;
  return map[`${vendor}/${upstreamModelId}`] ?? map[upstreamModelId];
}

/** Compares the prices of an endpoint, of all tiers, with those of LiteLLM's map. */
function expectPricesOfLitellm(endpoint: LiveEndpoint): void {
  const raw = litellmOf(endpoint);
  expect(raw).toBeDefined();
  for (const tier of TIERS) {
    const priced = tier === undefined ? endpoint.pricing : standardEntry(endpoint, tier);
    for (const [rawName, name] of LITELLM_NAMES) {
      const price = raw?.[tier === undefined ? rawName : `${rawName}_${tier}`];
      const isCorrected = correctionOf(endpoint, 'prices')?.prices?.[name] !== undefined;
      if (typeof price !== 'number' || isCorrected) continue;
      const stated = priced?.[name] ?? endpoint.pricing[name];
      expect([tier, name, Number(stated ?? 0).toPrecision(12)]).toEqual([tier, name, price.toPrecision(12)]);
    }
  }
}

function standardEntry({ pricing }: LiveEndpoint, tier: string): Partial<TokenPrices> | undefined {
  return pricing.overrides?.find(
    (entry) => entry.serviceTier === tier && entry.minPromptTokens === undefined,
  );
}

const correctionOf = ({ upstreamModelId }: LiveEndpoint, what: 'step' | 'prices' | 'ignored') =>
  CORRECTIONS.find((correction) => correction.models.includes(upstreamModelId) && correction[what]);

describe('each shipped token price', () => {
  test.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    'equals genai-prices for %s, or is explained',
    (_id, endpoint) => {
      const prices = correctionOf(endpoint, 'ignored') ? undefined : rawPricesOf(endpoint);
      if (prices === undefined) return expectPricesOfLitellm(endpoint);
      for (const [rawName, name] of RAW_NAMES) {
        const price = prices[rawName];
        if (price === undefined || correctionOf(endpoint, 'prices')?.prices?.[name] !== undefined) continue;
        const base = typeof price === 'number' ? price : price.base;
        expect([name, Number(endpoint.pricing[name]).toPrecision(12)]).toEqual([
          name,
          (base / 1e6).toPrecision(12),
        ]);
        for (const { start, price: long } of typeof price === 'number' ? [] : price.tiers) {
          const edge =
            correctionOf(endpoint, 'step')?.step?.from === start
              ? correctionOf(endpoint, 'step')?.step?.to
              : start;
          const entry = endpoint.pricing.overrides?.find(
            ({ minPromptTokens, serviceTier }) => minPromptTokens === edge && serviceTier === undefined,
          );
          expect([name, edge, Number(entry?.[name]).toPrecision(12)]).toEqual([
            name,
            edge,
            (long / 1e6).toPrecision(12),
          ]);
        }
      }
    },
  );

  test('comes from a version of public data that the catalog names', () => {
    for (const { folder } of CATALOGS) {
      const { sources } = JSON.parse(readFileSync(`providers/${folder}/catalog.json`, 'utf8')) as {
        sources: object[];
      };
      expect(sources).toEqual([
        {
          name: 'npm: @pydantic/genai-prices',
          version: '0.1.8',
          date: '2026-11-28',
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        {
          name: 'PyPI: litellm',
          version: '1.110.2',
          date: '2026-11-28',
          sha256: '8943af58bf9f979c6a4bef815687117ffa341e462a41faed9be17b5c33d3dcc2',
        },
      ]);
    }
  });

  test('reports what sources state differently', () => {
    const price = (prompt: string, edge: number): SourcePricing => ({
      prompt,
      overrides: [{ minPromptTokens: edge, prompt: '2' }],
    });
    expect(mergePricing(price('1', 10), price('3', 11)).differences).toEqual([
      'steps above 10 or 11 tokens',
      'prompt: 1 or 3',
    ]);
  });

  test('fails the script when no source has it', () => {
    const anthropic = CATALOGS[0]?.vendors[0];
    const unknown = {
      modelId: 'anthropic/x',
      capability: 'chat' as const,
      upstreamModelId: 'x',
      supportedParameters: [],
    };
    if (anthropic === undefined) throw new Error('no vendor');
    expect(() => buildCatalog([{ ...anthropic, endpoints: [unknown] }], extracts)).toThrow(
      'anthropic/x at anthropic: no source has a price',
    );
  });

  test('comes from an extract that nobody changed', () => {
    for (const { facts, data } of Object.values(extracts)) expect(hashOf(data)).toBe(facts.dataSha256);
  });

  test.each(CORRECTIONS.map((correction) => [correction.models.join(', '), correction] as const))(
    'has a reason and a page when it is corrected: %s',
    (_models, { reason, page }) => {
      expect(reason).toMatch(/\.$/);
      expect(page).toMatch(/^https:\/\//);
    },
  );
});

/** Expects all tiers to cost twice as much from a day on. */
function expectDoubled(pricing: LiveEndpoint['pricing'], from: string): void {
  const entryOf = (tier?: string, validFrom?: string) =>
    pricing.overrides?.find((entry) => entry.serviceTier === tier && entry.validFrom === validFrom);
  expect(entryOf(undefined, from)).toBeDefined();
  for (const tier of TIERS) {
    const before = tier === undefined ? pricing : entryOf(tier);
    for (const price of ['prompt', 'completion', 'inputCacheRead'] as const)
      expect(Number(entryOf(tier, from)?.[price] ?? 0)).toBeCloseTo(2 * Number(before?.[price] ?? 0), 15);
  }
}

describe('each shipped model', () => {
  test.each(models.filter(({ id }) => !id.startsWith('local/')).map((model) => [model.id, model] as const))(
    '%s has its facts',
    (id, model) => {
      const served = endpoints.filter(({ modelId }) => modelId === id);
      expect(model.description).not.toBeNull();
      const chats = served.filter(({ capability }) => capability === 'chat');
      // Nebius states no limits of some models.
      for (const { contextLength, maxCompletionTokens, supportedParameters } of chats) {
        expect(contextLength ?? Infinity).toBeGreaterThan(60_000);
        expect(maxCompletionTokens ?? Infinity).toBeGreaterThan(10_000);
        expect(supportedParameters).toContain('tools');
        expect(supportedParameters.includes('reasoning')).toBe(model.reasoning !== null);
      }
      if (chats.length === 0) return;
      expect(model.contextLength).toBe(Math.max(...chats.map(({ contextLength }) => contextLength ?? 0)));
    },
  );

  test('expires on the day on which the last of its vendors retires it', () => {
    const dates = Object.fromEntries(
      models.flatMap(({ id, expirationDate }) => (expirationDate ? [[id, expirationDate]] : [])),
    );
    expect(dates).toEqual({
      'google/gemini-omni-1.1-flash': '2026-12-03',
      'google/gemini-3.1-flash-lite': '2027-05-07',
      // Google's own API retires it six days before Vertex AI does.
      'google/gemini-embedding-001': '2028-05-20',
      'openai/gpt-5.4-nano': '2027-04-01',
      'openai/gpt-5.1': '2027-04-01',
      'openai/gpt-5-mini': '2026-12-11',
      'openai/gpt-4o-mini-tts': '2027-01-06',
      'openai/tts-1': '2027-01-06',
      'openai/tts-1-hd': '2027-01-06',
    });
  });

  test("has its vendor's own names as aliases, and no name twice", () => {
    const aliasesOf = (id: string) => models.find((model) => model.id === id)?.aliases;
    expect(aliasesOf('anthropic/claude-opus-4.7')).toEqual([
      'anthropic/claude-opus-4-7',
      'anthropic/claude-opus-4-7-20260416',
    ]);
    expect(aliasesOf('openai/gpt-5.6-sol')).toEqual(['openai/gpt-5.6']);
    const names = models.flatMap(({ id, canonicalSlug, aliases }) => [
      ...new Set([id, canonicalSlug]),
      ...aliases,
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    ['gemini-4-argon', '2026-12-01'],
    ['gemini-3.8-flash', '2027-01-01'],
    ['gemini-3.6-flash', '2027-01-01'],
    ['gemini-3.8-flash-tts', '2027-01-01'],
  ])('costs twice as much in every tier when an introductory price ends: %s', (name, validFrom) => {
    const priced = endpoints.filter(({ upstreamModelId }) => upstreamModelId === name);
    expect(priced.map(({ providerSlug }) => providerSlug)).toEqual(['google', 'google-vertex']);
    for (const { pricing } of priced) expectDoubled(pricing, validFrom);
  });

  test('has prices of flex at OpenAI, and of long prompts with priority in the newest', () => {
    for (const { upstreamModelId, pricing } of endpoints.filter(
      ({ upstreamModelId: name }) => /^gpt-[56]/.test(name) && !name.includes('image'),
    )) {
      const tiers = (pricing.overrides ?? []).map(
        ({ serviceTier, minPromptTokens }) => `${serviceTier ?? ''} ${minPromptTokens ?? 0}`,
      );
      expect([upstreamModelId, tiers]).toEqual([upstreamModelId, expect.arrayContaining(['flex 0'])]);
      if (upstreamModelId.startsWith('gpt-6')) expect(tiers).toContain('priority 272000');
    }
  });
});
