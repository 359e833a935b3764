/** Remembers the models whose servers refuse `stream_options`. */
import { ProviderError } from '../../domain/provider-error.ts';

/** The most models that are remembered. A provider has fewer. */
const MAX_MODELS = 1_000;

/**
 * The models of one provider that refused `stream_options` once. Older servers reject the field, and a refused request
 * has cost nothing. Without it the server counts no tokens, so that the gateway estimates them.
 */
export class RefusedStreamOptions {
  readonly #models = new Set<string>();

  knows(model: string): boolean {
    return this.#models.has(model);
  }

  /** Returns true, and remembers the model, if the error is a refusal that names the field. */
  learn(model: string, error: unknown): boolean {
    if (!(error instanceof ProviderError) || error.code !== 'invalid_request') return false;
    const { cause } = error;
    const text = `${error.publicMessage} ${cause instanceof Error ? cause.message : ''}`;
    if (!text.includes('stream_options') && !text.includes('include_usage')) return false;
    if (this.#models.size < MAX_MODELS) this.#models.add(model);
    return true;
  }
}
