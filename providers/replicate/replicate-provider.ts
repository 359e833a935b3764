import { createProviderHttp } from '../http.ts';
import { createKeyCheck } from '../key-check.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createReplicateVideo } from './video.ts';

/** Creates the provider for video models on Replicate. */
export function createReplicateProvider(settings: ProviderSettings): Provider {
  const http = createProviderHttp(settings);
  return {
    slug: settings.slug,
    video: createReplicateVideo(http, settings),
    // The account of the key, as `accounts.current` of the npm package `replicate` 1.4.0 reads it.
    checkKey: createKeyCheck(http, 'account'),
  };
}
