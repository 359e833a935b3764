/** Interprets suffixes of model names, such as `:nitro`, as an order of endpoints, and refuses unsupported ones. */
import { invalidRequest } from '../../domain/errors.ts';
import type { ProviderSort } from '../../domain/accounts/workspace.ts';

/** A model's name without its suffix, and the order of endpoints that the suffix requests. */
export interface ModelVariant {
  model: string;
  sort: ProviderSort;
}

/** Suffixes that are another spelling of `provider.sort`. */
const SORTS: ReadonlyMap<string, ProviderSort> = new Map([
  [':nitro', 'throughput'],
  [':floor', 'price'],
]);

/** Suffixes of OpenRouter's names that this deployment does not offer, with advice on what to do instead. */
const REFUSED: ReadonlyMap<string, (model: string) => string> = new Map([
  [
    ':online',
    (model: string) =>
      `asks for web search by the web plugin, which this deployment does not run: use ${model}, and send what you found in the prompt`,
  ],
  [':thinking', (model: string) => `asks the model to think: use ${model}, and set reasoning`],
  [
    ':extended',
    (model: string) =>
      `asks for a longer context: use ${model} (GET /models shows its context_length), or a model with a longer context`,
  ],
  [
    ':exacto',
    (model: string) =>
      `asks for the providers that call tools best, which this deployment does not measure: use ${model}, and list the providers in provider.order`,
  ],
  [
    ':beta',
    (model: string) =>
      `asks for moderation by the provider alone, which this deployment always does: use ${model}`,
  ],
]);

/**
 * Reads the suffix of a model's name that the catalog lacks. Returns null for a suffix without a meaning. Throws a
 * 400 with an issue at the path for a suffix that is known but not offered.
 */
export function readModelVariant(name: string, path: string): ModelVariant | null {
  const colon = name.lastIndexOf(':');
  if (colon < 1) return null;
  const [model, ending] = [name.slice(0, colon), name.slice(colon)];
  const refusal = REFUSED.get(ending);
  if (refusal !== undefined) throw invalidRequest({ path, message: `${ending} ${refusal(model)}` });
  const sort = SORTS.get(ending);
  return sort === undefined ? null : { model, sort };
}
