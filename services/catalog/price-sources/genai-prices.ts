/**
 * Reads the data of pydantic/genai-prices: vendors with models, whose prices are dollars for a million tokens. A price
 * is a number, or a base with steps: `start` is the last length at which the price before still holds. Prices of dates
 * and daily windows are a list, of which the last one that applies replaces all others.
 */
import {
  PRICE_INSTEAD,
  type PriceConditions,
  type PriceOverride,
  type TokenPrices,
} from '../../../domain/catalog/token-pricing.ts';
import type { Fields } from '../../../domain/fields.ts';
import { exactPrice } from './exact-price.ts';
import { dayOf, entriesOf, fieldsOf, listOf, nameOf, tokensOf } from './source-json.ts';
import { PriceSourceError, type SourceModel, type SourcePricing } from './source-model.ts';

/** The prices that a catalog holds, each with the power of ten of the units that it pays for. */
const PRICES: Record<string, [keyof TokenPrices, number]> = {
  input_mtok: ['prompt', 6],
  output_mtok: ['completion', 6],
  cache_read_mtok: ['inputCacheRead', 6],
  cache_write_mtok: ['inputCacheWrite', 6],
  cache_write_1h_mtok: ['inputCacheWriteHour', 6],
  input_audio_mtok: ['audio', 6],
  output_audio_mtok: ['audioOutput', 6],
  input_image_mtok: ['imageInput', 6],
  input_video_mtok: ['videoInput', 6],
  cache_audio_read_mtok: ['inputAudioCache', 6],
  output_image_mtok: ['imageOutput', 6],
  output_reasoning_mtok: ['internalReasoning', 6],
  requests_kcount: ['request', 3],
};

/** Vendors that other sources know by another name. */
const PROVIDERS: Record<string, string> = { 'x-ai': 'xai', zai: 'z-ai', voyageai: 'voyage', aws: 'bedrock' };

/**
 * Returns the models of the file. Prices whose date has passed by `now` replace those before; later ones become entries
 * with `validFrom`.
 */
export function parseGenaiPrices(file: unknown, now: Date): SourceModel[] {
  return listOf(file, 'the file').flatMap((entry, i) => {
    const vendor = fieldsOf(entry, `provider ${i}`);
    const id = nameOf(vendor['id'], `the id of provider ${i}`);
    return listOf(vendor['models'], `${id}.models`).map((model, at) =>
      readModel(PROVIDERS[id] ?? id, fieldsOf(model, `${id}.models.${at}`), now),
    );
  });
}

function readModel(provider: string, model: Fields, now: Date): SourceModel {
  const id = nameOf(model['id'], `the id of a model of ${provider}`);
  const unread = new Set<string>();
  return {
    provider,
    id,
    names: exactNames(model['match'], `${provider}/${id}.match`),
    pricing: readPricing(model['prices'], `${provider}/${id}`, now, unread),
    unread: [...unread],
    contextLength: tokensOf(model['context_window']),
  };
}

/** Returns the names that a rule accepts as a whole. Rules about parts of names also match newer models. */
function exactNames(rule: unknown, place: string): string[] {
  const { equals, or } = rule === undefined ? {} : (fieldsOf(rule, place) as Fields);
  if (equals !== undefined) return [nameOf(equals, `${place}.equals`)];
  return listOf(or, `${place}.or`).flatMap((part, i) => {
    const { equals: name } = fieldsOf(part, `${place}.or.${i}`);
    return name === undefined ? [] : [nameOf(name, `${place}.or.${i}.equals`)];
  });
}

function readPricing(given: unknown, place: string, now: Date, unread: Set<string>): SourcePricing {
  const stages = Array.isArray(given) ? listOf(given, place) : [{ prices: given }];
  let pricing: SourcePricing = { overrides: [] };
  for (const [i, stage] of stages.entries()) {
    const { constraint, prices } = fieldsOf(stage, `${place}.prices.${i}`);
    const conditions = constraint === undefined ? {} : readConstraint(constraint, `${place}.prices.${i}`);
    const read = readPrices(prices, place, unread);
    const { validFrom } = conditions;
    const isPresent =
      conditions.utcStart === undefined && (validFrom === undefined || Date.parse(validFrom) <= +now);
    if (isPresent) pricing = read;
    else pricing.overrides.push(...replacing(pricing, read, conditions));
  }
  return pricing;
}

function readConstraint(constraint: unknown, place: string): PriceConditions {
  const { type, start_date: from, start_time: start, end_time: end } = fieldsOf(constraint, place);
  const validFrom = dayOf(from);
  if (type === 'start_date' && validFrom !== undefined) return { validFrom };
  if (type === 'time_of_date') return { utcStart: clockOf(start, place), utcEnd: clockOf(end, place) };
  throw new PriceSourceError(`${place}.constraint must be a start date or a daily window`);
}

/** Returns a time of day in UTC as a number HHMM. */
function clockOf(value: unknown, place: string): number {
  const match = typeof value === 'string' ? /^([01]\d|2[0-3]):([0-5]\d):00(Z|\+00:00)$/.exec(value) : null;
  if (match === null) throw new PriceSourceError(`${place} must have times of day in UTC, as HH:MM:00Z`);
  return Number(match[1]) * 100 + Number(match[2]);
}

/** Returns entries that replace all prices: those that the new ones lack become the prices in their place. */
function replacing(
  before: SourcePricing,
  after: SourcePricing,
  conditions: PriceConditions,
): PriceOverride[] {
  const { overrides: steps, ...prices } = after;
  const all: Partial<TokenPrices> = { ...prices };
  for (const [name, instead] of Object.entries(PRICE_INSTEAD) as [keyof TokenPrices, keyof TokenPrices][]) {
    const substitute = all[instead];
    if (before[name] !== undefined && substitute !== undefined) all[name] ??= substitute;
  }
  return [{ ...all, ...conditions }, ...steps.map((step) => ({ ...step, ...conditions }))];
}

/** Reads the prices of one stage. Prices with steps at the same length become one entry. */
function readPrices(given: unknown, place: string, unread: Set<string>): SourcePricing {
  const pricing: SourcePricing = { overrides: [] };
  const steps = new Map<number, PriceOverride>();
  for (const [key, value] of entriesOf(given, `${place}.prices`)) {
    const [name, zeros] = PRICES[key] ?? [];
    if (value === undefined || value === null) continue;
    if (name === undefined || zeros === undefined) {
      unread.add(key);
      continue;
    }
    const at = `${place}.${key}`;
    if (typeof value === 'number') {
      pricing[name] = exactPrice(value, zeros, at);
      continue;
    }
    const { base, tiers } = fieldsOf(value, at);
    pricing[name] = exactPrice(base, zeros, at);
    for (const tier of listOf(tiers, `${at}.tiers`)) {
      const { start, price } = fieldsOf(tier, `${at}.tiers`);
      const edge = tokensOf(start);
      if (edge === undefined) throw new PriceSourceError(`${at} must have steps at lengths of a prompt`);
      const step = steps.get(edge) ?? { minPromptTokens: edge };
      steps.set(edge, { ...step, [name]: exactPrice(price, zeros, at) });
    }
  }
  pricing.overrides = [...steps].toSorted(([a], [b]) => a - b).map(([, step]) => step);
  return pricing;
}
