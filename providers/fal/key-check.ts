/** Checks a key of fal without making anything. */
import { z } from 'zod';
import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';

/** A model that fal's own examples of this request name. */
const PATH = `v1/models/pricing?endpoint_id=${encodeURIComponent('fal-ai/flux/dev')}`;

/**
 * Creates the check of a key, which reads a price. fal's API of its platform is at `api.fal.ai` beside
 * `queue.fal.run`; its list of models also answers without a key, and its prices do not.
 */
export function createFalKeyCheck(
  settings: ProviderSettings,
  headers: Record<string, string>,
): NonNullable<Provider['checkKey']> {
  const { host, origin } = new URL(settings.baseUrl);
  const baseUrl = host === 'queue.fal.run' ? 'https://api.fal.ai' : origin;
  const http = createProviderHttp({ ...settings, baseUrl });
  return async (context) => {
    await http.requestJson({ method: 'GET', path: PATH, headers }, z.object({}), context);
  };
}
