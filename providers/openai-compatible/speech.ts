/** Sends speech requests on OpenAI's wire, and passes on the audio as it arrives. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Amount } from '../../domain/amount.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import type { SpeechFormat } from '../../domain/live/speech.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { SpeechAdapter, SpeechRequest } from '../speech-adapter.ts';
import type { BytesReader } from '../streamed-bytes.ts';
import type { TextHttp } from '../text-http.ts';
import { errorOfBody } from '../answer-checks.ts';

export interface SpeechOptions {
  http: TextHttp;
  /** Builds the body for a vendor with more fields than OpenAI. Throws ProviderError. Absent: `toOpenAiSpeech`. */
  toVendor?(request: SpeechRequest, context: LiveCallContext): Promise<object> | object;
  /** Reads the units that the server reports as billed. Absent: it reports none. */
  readUnits?(headers: IncomingHttpHeaders): Amount | undefined;
}

/**
 * Sends `POST /audio/speech`. Written from OpenAI's published reference (openai-node, `src/resources/audio/speech.ts`,
 * and developers.openai.com/api/docs/guides/text-to-speech, read 2026-11-21). `pcm` is raw samples of 24 kHz, 16 bit,
 * little-endian. The answer is the file; it has no usage.
 */
export function createSpeechAdapter({ http, toVendor, readUnits }: SpeechOptions): SpeechAdapter {
  const toBody = toVendor ?? toOpenAiSpeech;
  return {
    async speak(request, context) {
      const body = await toBody(request, context);
      const audio = await http.bytes('audio/speech', body, context, soundReader(request.format));
      return { audio, upstreamId: audio.upstreamId, units: readUnits?.(audio.received) };
    },
  };
}

/** Builds OpenAI's body. Turns and references are rejected here, before anything is sent. */
function toOpenAiSpeech(request: SpeechRequest): object {
  const { input, references } = request;
  if (typeof input !== 'string')
    throw brokenRule({ path: 'body.input', message: 'must be a text: the provider does not support turns' });
  if (references.length > 0) {
    throw brokenRule({ path: 'body.input_references', message: 'are not supported by the provider' });
  }
  return { ...speechFields(request), input };
}

/**
 * Returns the fields that all servers of this wire support, except the input. They request the answer as a file, not as
 * events.
 */
export function speechFields({ model, voice, instructions, format, speed, options }: SpeechRequest): object {
  const { stream_format: _events, ...added } = options ?? {};
  return { ...added, ...withoutUndefined({ model, voice, instructions, speed, response_format: format }) };
}

/**
 * The content types of each format, including the empty one for vendors that send none. `audio/L16` is not among them,
 * because it is big-endian.
 */
const TYPES: Record<SpeechFormat, ReadonlySet<string>> = {
  mp3: new Set(['', 'audio/mpeg', 'audio/mp3', 'audio/x-mpeg', 'application/octet-stream']),
  pcm: new Set(['', 'audio/pcm', 'audio/x-pcm', 'application/octet-stream']),
};

function soundReader(format: SpeechFormat): BytesReader {
  return {
    accepts(contentType) {
      const [type = '', ...parameters] = contentType
        .toLowerCase()
        .split(';')
        .map((part) => part.trim());
      return TYPES[format].has(type) && (format !== 'pcm' || parameters.every(isPromised));
    },
    readBody: errorOfBody,
  };
}

/** Returns whether a parameter of the content type fits PCM of 24 kHz and one channel. */
function isPromised(parameter: string): boolean {
  const [name, value] = parameter.split('=');
  if (name === 'rate') return value === '24000';
  return name !== 'channels' || value === '1';
}
