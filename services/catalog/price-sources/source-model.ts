/** Defines what every source of public prices is read into: models with prices, limits and dates. */
import type { PriceOverride, TokenPrices } from '../../../domain/catalog/token-pricing.ts';

/** The prices of a model as a source states them. A price that the source lacks is absent. */
export interface SourcePricing extends Partial<TokenPrices> {
  overrides: PriceOverride[];
}

/** A model of a vendor, as a source describes it. A fact that the source lacks is undefined. */
export interface SourceModel {
  /** The vendor, by the name that most sources use, such as `openai`. */
  provider: string;
  /** The vendor's name of the model. */
  id: string;
  /** Other exact names of the same model, such as dated ones. */
  names: string[];
  pricing: SourcePricing;
  /** Prices of the source that a catalog cannot hold, by the source's names. */
  unread: string[];
  contextLength?: number | undefined;
  maxPromptTokens?: number | undefined;
  maxCompletionTokens?: number | undefined;
  inputModalities?: string[] | undefined;
  outputModalities?: string[] | undefined;
  /** Parameters of chat requests that the model takes, such as `tools`. */
  parameters?: string[] | undefined;
  knowledgeCutoff?: string | undefined;
  releaseDate?: string | undefined;
  /** The day on which the vendor retires the model. */
  expirationDate?: string | undefined;
}

/** A file that is no price source, or has a value that cannot be trusted. The message says where. */
export class PriceSourceError extends Error {
  override name = 'PriceSourceError';
}

/** Finds a vendor's model by its name, or undefined. */
export type FindModel = (provider: string, name: string) => SourceModel | undefined;

/**
 * Finds models by their exact names, ids first. A dated name that no model has, such as `gpt-5.1-2025-11-13`, finds the
 * model without the date.
 */
export function indexModels(models: readonly SourceModel[]): FindModel {
  const byName = new Map<string, SourceModel>();
  const keyOf = (provider: string, name: string): string => `${provider}\n${name}`;
  for (const model of models) for (const name of model.names) byName.set(keyOf(model.provider, name), model);
  for (const model of models) byName.set(keyOf(model.provider, model.id), model);
  return (provider, name) =>
    byName.get(keyOf(provider, name)) ?? byName.get(keyOf(provider, name.replace(DATE_AT_END, '')));
}

const DATE_AT_END = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;
