import { createProviderHttp } from '../http.ts';
import { createKeyCheck } from '../key-check.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createFalImages } from './images.ts';
import { createFalVideo } from './video.ts';

/** Creates the provider for the videos and pictures of fal. The base URL is that of fal's queue. */
export function createFalProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey, baseUrl } = settings;
  const headers = { authorization: `Key ${apiKey}` };
  const authorize = () => headers;
  // Requests that a caller waits for go to `fal.run` beside `queue.fal.run`.
  const http = createTextHttp({ ...settings, baseUrl: baseUrl.replace('://queue.', '://'), headers });
  const platform = createProviderHttp({ ...settings, baseUrl: platformUrl(baseUrl), authorize });
  return {
    slug,
    video: createFalVideo(createProviderHttp({ ...settings, authorize }), settings),
    image: createFalImages(http, settings.outbound),
    // The price of a model that fal's own examples of this request name.
    checkKey: createKeyCheck(platform, 'v1/models/pricing?endpoint_id=fal-ai%2Fflux%2Fdev'),
  };
}

/**
 * Returns the address of the API of fal's platform, which is `api.fal.ai` beside `queue.fal.run`. Its list of models
 * also answers without a key, and its prices do not.
 */
function platformUrl(baseUrl: string): string {
  const { host, origin } = new URL(baseUrl);
  return host === 'queue.fal.run' ? 'https://api.fal.ai' : origin;
}
