/** Declares the speech operation with its request. */
import { z } from 'zod';
import { readReferences } from '../../domain/live/speech-references.ts';
import { fallbackModels, gatewayFields, generationOperation, modelName } from './generation-request.ts';
import { GENERATION_HEADERS } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { orNull } from '../or-null.ts';
import { isHttpUrl, mediaUrl, text } from '../text.ts';

const voice = text({ min: 1, max: 256 });
const instructions = text({ max: 10_000 });

const turn = z
  .object({
    text: text({ min: 1 }),
    voice: voice.nullable().optional(),
    instructions: instructions.nullable().optional(),
  })
  .meta({ id: 'SpeechTurn', description: 'Text that one voice speaks, with its own instructions.' });

/** The most characters of a clip: 15 MiB of sound as base64. */
const MAX_CLIP_CHARACTERS = 20_971_520;
const MAX_TRANSCRIPT_CHARACTERS = 10_000;
/**
 * The number of characters of a clip that the pattern inspects. Its cost is therefore independent of the clip's length.
 */
const HEAD_CHARACTERS = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DATA_URL_HEAD = /^data:audio\/[\w.+-]+(;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/]/i;
const MAX_URL_LENGTH = 8_192;

const clip = z
  .string()
  .refine(
    (value) => value.length <= MAX_CLIP_CHARACTERS,
    `must have at most ${MAX_CLIP_CHARACTERS} characters`,
  )
  .refine(isClip, 'must be base64, a base64 data URL of type audio/*, or an http or https URL')
  .meta({ minLength: 1, maxLength: MAX_CLIP_CHARACTERS });

function isClip(value: string): boolean {
  if (/^data:/i.test(value)) return DATA_URL_HEAD.test(value);
  if (/^https?:/i.test(value)) return value.length <= MAX_URL_LENGTH && isHttpUrl(value);
  return BASE64.test(value.slice(0, HEAD_CHARACTERS));
}

const reference = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('input_audio'),
      input_audio: z.object({ data: clip, format: orNull(text({ min: 1, max: 16 })) }),
    }),
    z.object({ type: z.literal('text'), text: text({ max: MAX_TRANSCRIPT_CHARACTERS }) }),
    z.object({ type: z.literal('image_url'), image_url: z.object({ url: mediaUrl('image') }) }),
  ])
  .meta({ id: 'SpeechReference' });

const references = z.array(reference).superRefine((parts, context) => {
  const read = readReferences(parts);
  if (Array.isArray(read)) return;
  context.addIssue({ code: 'custom', path: [read.index], message: read.message });
});

/**
 * The body of POST /audio/speech. Unknown fields are ignored, as clients of this API shape expect. The service checks
 * rules that depend on the model, such as voices, with the same kind of issue.
 */
const speechRequest = z
  .object({
    model: modelName,
    models: fallbackModels,
    input: z
      .union(
        [text({ min: 1 }), z.array(turn).min(1)],
        'must be a text that is not empty, or a list of turns that each have one',
      )
      .meta({ description: 'The text to speak; for some models also turns of several voices.' }),
    voice: voice.nullable().optional().meta({
      description:
        'A voice of the model, or an alias of a voice from the catalog. Absent: the first voice of the model.',
    }),
    instructions: instructions.nullable().optional().meta({
      description: 'Instructions for the whole speech, for models that support them.',
    }),
    response_format: z.enum(['mp3', 'pcm']).nullable().optional().meta({
      description: '`pcm`, which is the default, is raw: 24 kHz, 16 bit, little-endian, mono.',
    }),
    speed: z.number().positive().max(100).nullable().optional().meta({
      description: '1 is the normal speed. Other speeds require a model that supports them.',
    }),
    stream_format: z.literal('audio').nullable().optional().meta({
      description: 'The response is always the sound itself, as it arrives.',
    }),
    input_references: references.nullable().optional().meta({
      description:
        'References for the voice, for models that support them: one to three clips, each optionally followed by its transcript, or one picture.',
    }),
    ...gatewayFields,
  })
  .meta({ id: 'SpeechRequest' });

export const speechOperations = defineOperations(generationOperation, {
  createSpeech: {
    route: 'POST /audio/speech',
    errorMessages: 'exact',
    tag: 'Speech',
    summary: 'Say a text',
    description:
      'Returns the sound itself, from its first bytes on. If the sound breaks off in the middle, the connection closes without the last chunk of the response.',
    body: {
      schema: speechRequest,
      limit: 'generation',
      examples: {
        simple: {
          summary: 'A sentence',
          value: { model: 'local/speech-1', input: 'The river rose in the night.', response_format: 'mp3' },
        },
        turns: {
          summary: 'Two voices',
          value: {
            model: 'local/speech-1',
            input: [
              { text: 'Who opened the sluice?', voice: 'alto' },
              { text: 'Nobody did.', voice: 'bass', instructions: 'Quietly' },
            ],
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The sound, as it arrives.',
        mediaType: ['audio/mpeg', 'audio/pcm;rate=24000'],
        headers: GENERATION_HEADERS,
      },
    },
    errors: [402, 404, 502, 524, 529],
  },
});
