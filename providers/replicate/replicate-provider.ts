import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createReplicateVideo } from './video.ts';

/** Video models on Replicate. */
export function createReplicateProvider(settings: ProviderSettings): Provider {
  return { slug: settings.slug, video: createReplicateVideo(createProviderHttp(settings), settings) };
}
