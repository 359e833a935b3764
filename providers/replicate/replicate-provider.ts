import { z } from 'zod';
import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createReplicateVideo } from './video.ts';

/** Creates the provider for video models on Replicate. */
export function createReplicateProvider(settings: ProviderSettings): Provider {
  const http = createProviderHttp(settings);
  return {
    slug: settings.slug,
    video: createReplicateVideo(http, settings),
    /** Reads the account of the key, as `accounts.current` of the npm package `replicate` 1.4.0 does. */
    async checkKey(context) {
      await http.requestJson({ method: 'GET', path: 'account' }, z.object({}), context);
    },
  };
}
