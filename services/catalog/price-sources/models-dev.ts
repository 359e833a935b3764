/**
 * Reads models.dev's `api.json`: vendors by name, each with models by name. Prices are dollars of a million tokens.
 * Steps are `cost.tiers`, each with a size that the context must exceed; older files have one at 200,000 tokens.
 */
import type { PriceOverride, TokenPrices } from '../../../domain/catalog/token-pricing.ts';
import type { Fields } from '../../../domain/fields.ts';
import { exactPrice } from './exact-price.ts';
import { dayOf, entriesOf, fieldsOf, listOf, nameOf, tokensOf } from './source-json.ts';
import { PriceSourceError, type SourceModel, type SourcePricing } from './source-model.ts';

const PRICES: Record<string, keyof TokenPrices> = {
  input: 'prompt',
  output: 'completion',
  reasoning: 'internalReasoning',
  cache_read: 'inputCacheRead',
  cache_write: 'inputCacheWrite',
  input_audio: 'audio',
  output_audio: 'audioOutput',
};
const OLD_STEP = 'context_over_200k';
/** Names of kinds of content that the catalog has another name for. */
const MODALITIES: Record<string, string> = { pdf: 'file' };

/** Returns the models of the file. */
export function parseModelsDev(file: unknown): SourceModel[] {
  return entriesOf(file, 'the file').flatMap(([key, value]) => {
    const provider = nameOf(key, 'a key of the file');
    const models = entriesOf(fieldsOf(value, provider)['models'], `${provider}.models`);
    return models.map(([id, model]) => readModel(provider, nameOf(id, `a key of ${provider}.models`), model));
  });
}

function readModel(provider: string, id: string, value: unknown): SourceModel {
  const place = `${provider}/${id}`;
  const model = fieldsOf(value, place);
  const limit = optionalFields(model['limit'], `${place}.limit`);
  const modalities = optionalFields(model['modalities'], `${place}.modalities`);
  const takes = (fact: string, names: string[]): string[] => (model[fact] === true ? names : []);
  const unread: string[] = [];
  return {
    provider,
    id,
    names: [],
    pricing: readPricing(optionalFields(model['cost'], `${place}.cost`), place, unread),
    unread,
    contextLength: tokensOf(limit['context']),
    maxPromptTokens: tokensOf(limit['input']),
    maxCompletionTokens: tokensOf(limit['output']),
    inputModalities: modalitiesOf(modalities['input'], place),
    outputModalities: modalitiesOf(modalities['output'], place),
    parameters: [
      ...takes('tool_call', ['tools', 'tool_choice']),
      ...takes('reasoning', ['reasoning']),
      ...takes('structured_output', ['response_format', 'structured_outputs']),
      ...takes('temperature', ['temperature']),
    ],
    knowledgeCutoff: dayOf(model['knowledge']),
    releaseDate: dayOf(model['release_date']),
  };
}

function optionalFields(value: unknown, place: string): Fields {
  return value === undefined || value === null ? {} : fieldsOf(value, place);
}

function modalitiesOf(value: unknown, place: string): string[] | undefined {
  if (value === undefined) return undefined;
  const names = listOf(value, `${place}.modalities`).filter((name) => typeof name === 'string');
  return names.map((name) => MODALITIES[name] ?? name);
}

function readPricing(cost: Fields, place: string, unread: string[]): SourcePricing {
  const steps = listOf(cost['tiers'], `${place}.cost.tiers`).map((tier) => readStep(tier, place));
  const old = cost[OLD_STEP];
  if (steps.length === 0 && old !== undefined && old !== null) {
    steps.push({
      minPromptTokens: 200_000,
      ...readPrices(fieldsOf(old, `${place}.cost.${OLD_STEP}`), place, []),
    });
  }
  const overrides = steps.toSorted((a, b) => (a.minPromptTokens ?? 0) - (b.minPromptTokens ?? 0));
  return { ...readPrices(cost, place, unread), overrides };
}

function readStep(value: unknown, place: string): PriceOverride {
  const step = fieldsOf(value, `${place}.cost.tiers`);
  const { type, size } = optionalFields(step['tier'], `${place}.cost.tiers`);
  const minPromptTokens = tokensOf(size);
  if (type !== 'context' || minPromptTokens === undefined) {
    throw new PriceSourceError(`${place}.cost.tiers must have sizes of the context`);
  }
  return { minPromptTokens, ...readPrices(step, place, []) };
}

function readPrices(cost: Fields, place: string, unread: string[]): Partial<TokenPrices> {
  const prices: Partial<TokenPrices> = {};
  for (const [key, value] of Object.entries(cost)) {
    const name = Object.hasOwn(PRICES, key) ? PRICES[key] : undefined;
    if (name !== undefined) prices[name] = exactPrice(value, 6, `${place}.cost.${key}`);
    else if (key !== 'tiers' && key !== OLD_STEP) unread.push(key);
  }
  return prices;
}
