/** Speaks with Gemini's models of speech. */
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../domain/fields.ts';
import type { SpeechTurn } from '../../domain/live/speech.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import { malformedAnswer } from '../answer-checks.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { refusedContent } from '../refused-content.ts';
import type { SpeechAdapter, SpeechRequest } from '../speech-adapter.ts';
import type { EventReader } from '../streamed-answer.ts';
import type { TextHttp } from '../text-http.ts';
import { blockOf, candidateParts, createReader, pathOf } from './generate-content.ts';
import { ownOptions } from './own-options.ts';

/** The sound of Gemini, whose samples are little-endian in spite of the type's name. */
const PCM = /^audio\/l16(;\s*codec=pcm)?;\s*rate=24000(;\s*channels=1)?$/i;
const MAX_SPEAKERS = 2;

/**
 * Creates the adapter for `streamGenerateContent` with sound as its only modality (ai.google.dev/gemini-api/docs/
 * speech-generation and …/models/gemini-3.8-flash-tts, read 2026-11-28). The text is spoken word for word: directions
 * stand beside it, in `speechMetadata`. The sound is raw PCM.
 */
export function createGoogleSpeech(http: TextHttp, { slug }: Pick<ProviderSettings, 'slug'>): SpeechAdapter {
  return {
    async speak(request, context) {
      const path = pathOf(request.model, 'streamGenerateContent?alt=sse');
      const { config, rest } = ownOptions(request.options, slug);
      const { generationConfig, contents } = toBody(request);
      const body = { ...rest, contents, generationConfig: { ...config, ...generationConfig } };
      return { audio: await http.stream(path, body, context, createSoundReader()) };
    },
  };
}

function toBody({
  input,
  voice,
  instructions,
}: SpeechRequest): Record<'contents' | 'generationConfig', object> {
  const turns: SpeechTurn[] = typeof input === 'string' ? [{ text: input }] : input;
  const speakers = new Map<string | undefined, string>();
  const parts = turns.map(({ text, voice: own = voice, instructions: style = instructions }) => {
    if (!speakers.has(own)) speakers.set(own, `Speaker ${speakers.size + 1}`);
    const speaker = typeof input === 'string' ? undefined : speakers.get(own);
    const speechMetadata = withoutUndefined({ speaker, style });
    return { text, ...(Object.keys(speechMetadata).length > 0 && { speechMetadata }) };
  });
  if (speakers.size > MAX_SPEAKERS)
    throw brokenRule({
      path: 'body.input',
      message: `may have at most ${MAX_SPEAKERS} voices for this model`,
    });
  return {
    contents: [{ role: 'user', parts }],
    generationConfig: { responseModalities: ['AUDIO'], speechConfig: toSpeechConfig(speakers) },
  };
}

function toSpeechConfig(speakers: ReadonlyMap<string | undefined, string>): Fields {
  const configs = [...speakers].map(([voice, speaker]) => ({
    speaker,
    voiceConfig: { prebuiltVoiceConfig: withoutUndefined({ voiceName: voice }) },
  }));
  const [{ voiceConfig } = {}] = configs;
  return configs.length === 1
    ? { voiceConfig }
    : { multiSpeakerVoiceConfig: { speakerVoiceConfigs: configs } };
}

/** Creates the reader of one stream, of which each event has a piece of the sound. */
function createSoundReader(): EventReader<Buffer> {
  let isWhole = false;
  return createReader({
    translate(answer) {
      const reason = blockOf(answer);
      if (reason !== '') throw refusedContent(reason);
      const [candidate = {}] = fieldsIn(answer['candidates']);
      isWhole ||= typeof candidate['finishReason'] === 'string';
      return soundIn(candidateParts(candidate));
    },
    isWhole: () => isWhole,
  });
}

function soundIn(parts: Fields[]): Buffer | undefined {
  const sounds = parts.flatMap(({ inlineData }) => {
    if (!isFields(inlineData)) return [];
    if (!PCM.test(textOf(inlineData['mimeType']))) throw malformedAnswer('sound that is not PCM of 24 kHz');
    return [Buffer.from(textOf(inlineData['data']), 'base64')];
  });
  return sounds.length === 0 ? undefined : Buffer.concat(sounds);
}
