import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createFalImages } from './images.ts';
import { createFalKeyCheck } from './key-check.ts';
import { createFalVideo } from './video.ts';

/** Creates the provider for the videos and pictures of fal. The base URL is that of fal's queue. */
export function createFalProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey, baseUrl } = settings;
  const headers = { authorization: `Key ${apiKey}` };
  // Requests that a caller waits for go to `fal.run` beside `queue.fal.run`.
  const http = createTextHttp({ ...settings, baseUrl: baseUrl.replace('://queue.', '://'), headers });
  return {
    slug,
    video: createFalVideo(createProviderHttp(settings), settings, headers),
    image: createFalImages(http, settings.outbound),
    checkKey: createFalKeyCheck(settings, headers),
  };
}
