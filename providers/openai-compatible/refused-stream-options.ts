/** Remembers the models whose servers refuse `stream_options`. */
import { refusedFields } from '../../domain/refused-fields.ts';

/** The most models that are remembered. A provider has fewer. */
const MAX_MODELS = 1_000;

/** Returns whether an error is a refusal of the field. */
export function refusesStreamOptions(error: unknown): boolean {
  return refusedFields(error, ['stream_options', 'include_usage']).length > 0;
}

/**
 * The models of one provider that refused `stream_options` once, and answered without the field. Older servers reject
 * it, and a refused request has cost nothing. Without it the server counts no tokens, so that the gateway estimates
 * them.
 */
export class RefusedStreamOptions {
  readonly #models = new Set<string>();

  has(model: string): boolean {
    return this.#models.has(model);
  }

  add(model: string): void {
    if (this.#models.size < MAX_MODELS) this.#models.add(model);
  }
}
