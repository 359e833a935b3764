/** Makes the published client of this API shape, which never retries here. */
import { OpenRouter } from '@openrouter/sdk';
import type { Gateway } from './gateway.ts';

export function publishedClient({ origin }: Pick<Gateway, 'origin'>, apiKey: string): OpenRouter {
  return new OpenRouter({ apiKey, serverURL: `${origin}/api/v1`, retryConfig: { strategy: 'none' } });
}

/** Returns what the work throws, or else its result. */
export function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}
