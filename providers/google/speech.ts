/** Speaks with Gemini's models of speech. */
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../domain/fields.ts';
import type { SpeechTurn } from '../../domain/live/speech.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import { UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { answerOf, errorIn, errorOfBody, malformedAnswer } from '../answer-checks.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import type { SpeechAdapter, SpeechRequest } from '../speech-adapter.ts';
import type { EventReader } from '../streamed-answer.ts';
import type { TextHttp } from '../text-http.ts';
import { errorEvent } from '../vendor-error.ts';
import { isWritten } from './config.ts';
import { pathOf } from './path-of.ts';
import { refusedContent, refusesContent } from './refusals.ts';

/** The sound of Gemini, whose samples are little-endian in spite of the type's name. */
const PCM = /^audio\/l16(;\s*codec=pcm)?;\s*rate=24000(;\s*channels=1)?$/i;
const MAX_SPEAKERS = 2;

/**
 * Creates the adapter for `streamGenerateContent` with sound as its only modality (ai.google.dev/gemini-api/docs/
 * speech-generation and …/models/gemini-3.8-flash-tts, read 2026-11-28). The text is spoken word for word: directions
 * stand beside it, in `speechMetadata`. The sound is raw PCM.
 */
export function createGoogleSpeech(
  http: TextHttp,
  { slug, apiKey: secret }: Pick<ProviderSettings, 'slug' | 'apiKey'>,
): SpeechAdapter {
  return {
    async speak(request, context) {
      const path = pathOf(request.model, 'streamGenerateContent?alt=sse');
      rejectPricedOptions(request, slug);
      return { audio: await http.stream(path, toBody(request), context, createSoundReader(secret)) };
    },
  };
}

/** Tiers and tools have other prices than the sound, by which speech is billed. */
function rejectPricedOptions({ options = {} }: SpeechRequest, slug: string): void {
  const unsupported = new UnsupportedFields();
  for (const name in options)
    if (name === 'tools' || isWritten(name)) unsupported.add(`body.provider.options.${slug}.${name}`);
  unsupported.throwIfAny();
}

function toBody(request: SpeechRequest): Fields {
  const { input, voice, instructions, options = {} } = request;
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
    ...options,
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
function createSoundReader(secret: string | undefined): EventReader<Buffer> {
  let isWhole = false;
  return {
    read({ type, data }) {
      if (data === '[DONE]') return 'end';
      if (type === 'error') throw errorEvent(data, [secret]);
      const answer = answerOf(JSON.parse(data), secret);
      const { promptFeedback } = answer;
      const blocked = isFields(promptFeedback) ? textOf(promptFeedback['blockReason']) : '';
      if (blocked !== '') throw refusedContent(blocked);
      const [candidate = {}] = fieldsIn(answer['candidates']);
      const { content, finishReason } = candidate;
      if (refusesContent(textOf(finishReason))) throw refusedContent(textOf(finishReason));
      isWhole ||= typeof finishReason === 'string';
      return soundIn(fieldsIn(isFields(content) ? content['parts'] : []));
    },
    readBody: (text) => errorOfBody(text, (body) => errorIn(body, secret)),
    isWhole: () => isWhole,
    mayBeWhole: ({ data }) => data.includes('"inlineData"'),
  };
}

function soundIn(parts: Fields[]): Buffer | undefined {
  const sounds = parts.flatMap(({ inlineData }) => {
    if (!isFields(inlineData)) return [];
    if (!PCM.test(textOf(inlineData['mimeType']))) throw malformedAnswer('sound that is not PCM of 24 kHz');
    return [Buffer.from(textOf(inlineData['data']), 'base64')];
  });
  return sounds.length === 0 ? undefined : Buffer.concat(sounds);
}
