import { withoutUndefined } from '../../domain/fields.ts';
import type { SpeechReference } from '../../domain/live/speech.ts';
import type { CallContext } from '../call-context.ts';
import { inlinePictures } from '../inline-pictures.ts';
import { createSpeechAdapter, speechFields } from '../openai-compatible/speech.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { inlineClips, type ReferenceClip } from '../reference-clip.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { SpeechAdapter } from '../speech-adapter.ts';
import type { TextHttp } from '../text-http.ts';

/**
 * Creates the speech adapter: OpenAI's wire with two extras of the local upstream
 * (`upstream/speech/speech-request.ts`). They are turns instead of the text, and `input_references` in the gateway's
 * own format, with inlined media.
 */
export function createLocalSpeechAdapter(
  http: TextHttp,
  { apiKey, outbound }: ProviderSettings,
): SpeechAdapter {
  return createSpeechAdapter({
    http,
    apiKey,
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
