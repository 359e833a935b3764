import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createMessagesAdapter } from './messages.ts';

/**
 * Creates the provider for Anthropic's Messages API, which serves chat too (providers/dialects/messages).
 *
 * `catalog.json` has the prices and limits of the models' own pages (platform.claude.com/docs/en/about-claude/pricing,
 * …/models/{opus-5-5,sonnet-5-5,haiku-4-5}/overview and …/migration-guide, read 2026-11-21). Haiku 4.5 has thinking
 * budgets and no effort; the others have efforts, no budget, and always think. A cutoff given as a month is its last
 * day. Models with prices by prompt length are omitted, because an endpoint has one price. The vendor stores requests
 * for a time, so the endpoints count as collecting data.
 */
export function createAnthropicProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  };
  const connect = (more: Record<string, string>) =>
    createTextHttp({ ...settings, headers: { ...headers, ...more } });
  return { slug, takesUrls: true, messages: createMessagesAdapter(connect, apiKey) };
}
