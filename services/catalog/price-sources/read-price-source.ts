/** Tells which format a file of public prices has, and reads it. */
import { isFields } from '../../../domain/fields.ts';
import { parseGenaiPrices } from './genai-prices.ts';
import { parseLitellmMap } from './litellm-map.ts';
import { parseModelsDev } from './models-dev.ts';
import { PriceSourceError, type SourceModel } from './source-model.ts';

/** The formats, by the projects that publish them. */
export type PriceSourceName = 'genai-prices' | 'litellm' | 'models.dev';

export interface PriceSource {
  name: PriceSourceName;
  models: SourceModel[];
}

/**
 * Reads the JSON of a price source. Throws a PriceSourceError if it has none of the formats, no model, or a value that
 * cannot be trusted.
 */
export function readPriceSource(json: unknown, now: Date): PriceSource {
  const name = formatOf(json);
  if (name === undefined) {
    throw new PriceSourceError('the file is neither of genai-prices, nor of LiteLLM, nor of models.dev');
  }
  const parse = { 'genai-prices': parseGenaiPrices, litellm: parseLitellmMap, 'models.dev': parseModelsDev }[
    name
  ];
  const models = parse(json, now);
  if (models.length === 0) throw new PriceSourceError('the file has no model');
  return { name, models };
}

function formatOf(json: unknown): PriceSourceName | undefined {
  if (Array.isArray(json)) return 'genai-prices';
  if (!isFields(json)) return undefined;
  const values = Object.values(json).filter(isFields);
  if (values.some((value) => 'litellm_provider' in value)) return 'litellm';
  return values.some((value) => isFields(value['models'])) ? 'models.dev' : undefined;
}
