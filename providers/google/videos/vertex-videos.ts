/** Makes videos on Vertex AI, with Omni models by interactions and with Veo models by operations. */
import type { ProviderSettings } from '../../provider-settings.ts';
import type { VideoAdapter, VideoOperation } from '../../video-adapter.ts';
import type { GoogleAuth } from '../vertex/tokens.ts';
import { createVertexOmni } from './omni.ts';
import { createVeoVideo } from './veo.ts';

export function createVertexVideo(
  auth: GoogleAuth,
  settings: Pick<ProviderSettings, 'outbound' | 'timeouts' | 'dispatcher'>,
): VideoAdapter {
  const [omni, veo] = [createVertexOmni(auth, settings), createVeoVideo(auth, settings)];
  // Only the names of Veo's operations have this part.
  const of = ({ id }: VideoOperation): VideoAdapter => (String(id).includes('/operations/') ? veo : omni);
  return {
    idempotentSubmit: false,
    webhook: 'none',
    submit: (request, context) =>
      (request.upstreamModel.startsWith('gemini-') ? omni : veo).submit(request, context),
    status: (operation, context) => of(operation).status(operation, context),
    openOutput: (output, operation, context) => of(operation).openOutput(output, operation, context),
  };
}
