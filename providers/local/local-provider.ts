/** Creates the adapters with which the gateway calls the local upstream. */
import { createProviderHttp } from '../http.ts';
import { createRerankAdapter } from '../cohere/rerank.ts';
import { createChatAdapter } from '../openai-compatible/chat.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import { toServer } from '../openai-compatible/to-server.ts';
import { createVideoAdapter } from '../openai-compatible/video.ts';
import { listSchema } from '../openai-compatible/video-schemas.ts';
import type { Provider } from '../provider.ts';
import type { VideoAdapter } from '../video-adapter.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp, type TextHttp } from '../text-http.ts';
import { createImageAdapter } from '../openai-compatible/images.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import type { SpeechReference } from '../../domain/live/speech.ts';
import type { CallContext } from '../call-context.ts';
import { inlinePictures } from '../inline-pictures.ts';
import { createSpeechAdapter, speechFields } from '../openai-compatible/speech.ts';
import { readLocalCharges, readLocalUnits } from './local-charges.ts';
import { inlineClips, type ReferenceClip } from '../reference-clip.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { SpeechAdapter } from '../speech-adapter.ts';

/**
 * Creates the provider for the local upstream. It uses the OpenAI-compatible wire and the extras that
 * `upstream/videos/video-capability.ts` documents, such as idempotent submission and finding a job by its key.
 */
export function createLocalProvider(settings: ProviderSettings): Provider {
  const http = createProviderHttp(settings);
  const video: VideoAdapter = {
    ...createVideoAdapter({
      http,
      settings,
      fields: { lastFrame: 'last_frame_reference', remixSeconds: true },
      idempotencyHeader: 'idempotency-key',
      readCharges: readLocalCharges,
    }),
    async findOperation(idempotencyKey, context) {
      const path = `videos?limit=1&idempotency_key=${encodeURIComponent(idempotencyKey)}`;
      const { value } = await http.requestJson({ method: 'GET', path }, listSchema, context);
      return value.data[0] ?? null;
    },
  };
  const { slug } = settings;
  const text = createTextHttp(settings);
  return {
    slug,
    video,
    chat: createChatAdapter({ http: text, toVendor: toServer }),
    embeddings: createEmbeddingsAdapter(text),
    speech: createLocalSpeechAdapter(text, settings),
    image: createImageAdapter({
      http: text,
      outbound: settings.outbound,
      seed: true,
      readUnits: readLocalUnits,
    }),
    rerank: createRerankAdapter({ http: text, pictures: settings.outbound }),
  };
}

/**
 * Creates the speech adapter: OpenAI's wire with two extras of the local upstream
 * (`upstream/speech/speech-request.ts`). They are turns instead of the text, and `input_references` in the gateway's
 * own format, with inlined media.
 */
function createLocalSpeechAdapter(http: TextHttp, { outbound }: ProviderSettings): SpeechAdapter {
  return createSpeechAdapter({
    http,
    readUnits: readLocalUnits,
    async toVendor(request, context) {
      const { input, references } = request;
      const parts = await toParts(references, outbound, context);
      return {
        ...speechFields(request),
        ...withoutUndefined({ input, input_references: parts.length === 0 ? undefined : parts }),
      };
    },
  });
}

/** Converts references, one picture or clips, to parts. */
async function toParts(
  references: readonly SpeechReference[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<object[]> {
  const [first] = references;
  if (first?.kind === 'image') {
    const picture = { url: first.url, field: 'input_references.0.image_url.url' };
    const [url] = await inlinePictures([picture], outbound, context);
    return [{ type: 'image_url', image_url: { url } }];
  }
  const clips = references.filter((each) => each.kind === 'audio');
  const given = clips.map(({ data }) => data);
  const inlined = await inlineClips(given, outbound, context);
  return clips.flatMap((clip, at) => partsOf(clip, inlined[at]!));
}

function partsOf(clip: Extract<SpeechReference, { kind: 'audio' }>, inlined: ReferenceClip): object[] {
  const part = {
    type: 'input_audio',
    input_audio: { data: inlined.base64, format: clip.format ?? inlined.format },
  };
  return clip.transcript === undefined ? [part] : [part, { type: 'text', text: clip.transcript }];
}
