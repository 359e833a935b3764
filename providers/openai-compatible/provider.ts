import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createVideoAdapter } from './video.ts';

/** Any server that speaks OpenAI's wire at a base URL of the operator's choice. */
export function createOpenAiCompatibleProvider(settings: ProviderSettings): Provider {
  const http = createProviderHttp(settings);
  return { slug: settings.slug, video: createVideoAdapter({ http, settings }) };
}
