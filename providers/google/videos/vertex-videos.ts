/** Makes videos on Vertex AI, with Omni models by interactions and with Veo models by operations. */
import { createProviderHttp } from '../../http.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { unsupported, type VideoAdapter, type VideoOperation } from '../../video-adapter.ts';
import type { GoogleAuth } from '../vertex/tokens.ts';
import { createObjectOpener, storageUrlOf, type VideoAccess } from './files.ts';
import { createInteractions } from './omni.ts';
import { createVeoVideo } from './veo.ts';

/**
 * Creates the adapter for both kinds of models. Vertex AI has interactions in the region `global` only. That part is
 * written from Google's forum (discuss.ai.google.dev/t/183928) and public clients that called it
 * (github.com/vercel/ai/pull/16550, github.com/pollinations/pollinations/pull/14083), read on 2026-11-28. It has no
 * files: an answer holds the video in base64, or names an object of a bucket. A cancel is not known to exist.
 */
export function createVertexVideo(
  { placeUrl, token }: GoogleAuth,
  { outbound, timeouts, dispatcher }: Pick<ProviderSettings, 'outbound' | 'timeouts' | 'dispatcher'>,
): VideoAdapter {
  const authorize = async () => ({ authorization: `Bearer ${await token()}` });
  const connect = (baseUrl: string) => createProviderHttp({ baseUrl, dispatcher, timeouts, authorize });
  const open = createObjectOpener(connect(storageUrlOf(placeUrl)), outbound);
  const at = (baseUrl: string): VideoAccess => ({
    baseUrl,
    http: connect(baseUrl),
    outbound,
    timeouts,
    open,
  });
  const omni = createInteractions(at(placeUrl), (format) => [{ type: 'video', ...format }]);
  const veo = createVeoVideo(at(`${placeUrl}/publishers/google`));
  // Only the names of Veo's operations have this part.
  const of = ({ id }: VideoOperation): VideoAdapter => (String(id).includes('/operations/') ? veo : omni);
  return {
    idempotentSubmit: false,
    webhook: 'none',
    async submit(request, context) {
      if (!request.upstreamModel.startsWith('gemini-')) return veo.submit(request, context);
      if (placeUrl.endsWith('/global')) return omni.submit(request, context);
      throw unsupported('credentials of a region other than `global`');
    },
    status: (operation, context) => of(operation).status(operation, context),
    openOutput: (output, operation, context) => of(operation).openOutput(output, operation, context),
  };
}
