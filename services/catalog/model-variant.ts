import { invalidRequest } from '../../domain/errors.ts';
import type { ProviderSort } from '../../domain/accounts/workspace.ts';

/** A model's name without its ending, and how the ending sorts the endpoints of the model. */
export interface ModelVariant {
  model: string;
  sort: ProviderSort;
}

/** Endings that are another spelling of `provider.sort`. */
const SORTS: ReadonlyMap<string, ProviderSort> = new Map([
  [':nitro', 'throughput'],
  [':floor', 'price'],
]);

/** Endings of OpenRouter's names that ask for something that a name cannot ask for here, with what to do instead. */
const REFUSED: ReadonlyMap<string, (model: string) => string> = new Map([
  [
    ':online',
    (model: string) =>
      `asks for web search by the web plugin, which this deployment does not run: name ${model}, and send what you found in the prompt`,
  ],
  [':thinking', (model: string) => `asks the model to think: name ${model}, and set reasoning`],
  [
    ':extended',
    (model: string) =>
      `asks for a longer context: name ${model}, whose context_length GET /models tells, or a model with a longer one`,
  ],
  [
    ':exacto',
    (model: string) =>
      `asks for the providers that call tools best, which nobody measures here: name ${model}, and the providers in provider.order`,
  ],
  [
    ':beta',
    (model: string) =>
      `asks that prompts are moderated by the provider alone, as all are here: name ${model}`,
  ],
]);

/**
 * Reads the ending of a model's name that the catalog does not have. Returns null where the ending has no meaning. Throws
 * 400 for an ending that is known and not offered, as an issue at the path.
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
