import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createMessagesAdapter } from './messages.ts';

/**
 * Creates the provider for Anthropic's Messages API, which serves chat too (providers/dialects/messages).
 *
 * `catalog.json` is written by `npm run catalog` (docs/catalog.md). Haiku 4.5 and Opus 4.5 have thinking budgets and no
 * effort; the others have efforts and no budget. The vendor stores requests for a time, so the endpoints count as
 * collecting data.
 */
export function createAnthropicProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  };
  const connect = (more: Record<string, string>) =>
    createTextHttp({ ...settings, headers: { ...headers, ...more } });
  return { slug, takesUrls: true, messages: createMessagesAdapter(connect) };
}
