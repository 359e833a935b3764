import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createChatAdapter } from './chat.ts';
import { createEmbeddingsAdapter } from './embeddings.ts';
import { toServer } from './to-server.ts';
import { compatibleVendor } from './vendors.ts';

/**
 * Creates the provider for a vendor of `vendors.ts`: chat and embeddings on OpenAI's wire, with the vendor's
 * deviations. Those of an endpoint's row are added to them. Most such vendors fetch URLs of pictures themselves.
 */
export function createCompatibleVendor(settings: ProviderSettings): Provider {
  const { slug } = settings;
  const { deviations = [], cacheControl = false, inlineMedia = false } = compatibleVendor(slug) ?? {};
  const http = createTextHttp(settings);
  return {
    slug,
    ...(!inlineMedia && { takesUrls: true as const }),
    chat: createChatAdapter({ http, toVendor: toServer, deviations, cacheControl }),
    embeddings: createEmbeddingsAdapter(http),
  };
}
