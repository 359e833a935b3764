import { brokenRule } from '../../domain/provider-error.ts';
import type { SpeechFormat } from '../../domain/live/speech.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { SpeechAdapter, SpeechRequest } from '../speech-adapter.ts';
import type { BytesReader } from '../streamed-bytes.ts';
import type { TextHttp } from '../text-http.ts';
import { invalidResponse } from '../transport-failure.ts';
import { errorIn, objectOf } from '../answer-checks.ts';

export interface SpeechOptions {
  http: TextHttp;
  /** What must not appear in an error. */
  apiKey: string | undefined;
  /** The body for a vendor whose wire carries more; throws ProviderError. `toOpenAiSpeech` when absent. */
  toVendor?(request: SpeechRequest, context: LiveCallContext): Promise<object> | object;
}

/**
 * `POST /audio/speech`, written from OpenAI's published reference (openai-node, `src/resources/audio/speech.ts`, and
 * developers.openai.com/api/docs/guides/text-to-speech: `pcm` is raw samples of 24 kHz, 16 bit, little-endian; read
 * 2026-11-21). The answer is the file itself; nothing is counted in it.
 */
export function createSpeechAdapter({ http, apiKey, toVendor }: SpeechOptions): SpeechAdapter {
  const toBody = toVendor ?? toOpenAiSpeech;
  return {
    async speak(request, context) {
      const body = await toBody(request, context);
      const audio = await http.bytes('audio/speech', body, context, soundReader(request.format, apiKey));
      const { upstreamId } = audio;
      return { audio, ...(upstreamId === undefined ? {} : { upstreamId }) };
    },
  };
}

/** Turns and references have no place in it: that is refused before anything is sent. */
function toOpenAiSpeech(request: SpeechRequest): object {
  const { input, references } = request;
  if (typeof input !== 'string')
    throw brokenRule({ path: 'body.input', message: 'must be a text: the provider takes no turns' });
  if (references.length > 0) {
    throw brokenRule({ path: 'body.input_references', message: 'are not taken by the provider' });
  }
  return { ...speechFields(request), input };
}

/** What all servers of this wire understand, but for the input. The answer is asked for as a file, not as events. */
export function speechFields({ model, voice, instructions, format, speed, options }: SpeechRequest): object {
  const { stream_format: _events, ...added } = options ?? {};
  return {
    ...added,
    model,
    ...(voice === undefined ? {} : { voice }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(speed === undefined ? {} : { speed }),
    response_format: format,
  };
}

/** Names of the types, with what is plain from the request where a vendor says nothing. `audio/L16` is big-endian. */
const TYPES: Record<SpeechFormat, ReadonlySet<string>> = {
  mp3: new Set(['', 'audio/mpeg', 'audio/mp3', 'audio/x-mpeg', 'application/octet-stream']),
  pcm: new Set(['', 'audio/pcm', 'audio/x-pcm', 'application/octet-stream']),
};

function soundReader(format: SpeechFormat, secret: string | undefined): BytesReader {
  return {
    accepts(contentType) {
      const [type = '', ...parameters] = contentType
        .toLowerCase()
        .split(';')
        .map((part) => part.trim());
      return TYPES[format].has(type) && (format !== 'pcm' || parameters.every(isPromised));
    },
    readBody(text) {
      try {
        const error = errorIn(objectOf(JSON.parse(text)), secret);
        return error ?? invalidResponse(200, new Error('JSON in place of sound'));
      } catch (cause) {
        return invalidResponse(200, cause);
      }
    },
  };
}

/** Another rate or a second channel would sound wrong to a caller who was promised 24 kHz and one. */
function isPromised(parameter: string): boolean {
  const [name, value] = parameter.split('=');
  if (name === 'rate') return value === '24000';
  return name !== 'channels' || value === '1';
}
