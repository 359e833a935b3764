import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createReplicateVideo } from './video.ts';

/** Creates the provider for video models on Replicate. */
export function createReplicateProvider(settings: ProviderSettings): Provider {
  return { slug: settings.slug, video: createReplicateVideo(createProviderHttp(settings), settings) };
}
