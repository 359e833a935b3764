/** Validates speech requests to the local upstream. */
import { z } from 'zod';
import { parseRequest } from '../parse-request.ts';

const VOICES = ['alto', 'tenor', 'bass'] as const;
const SPEECH_MODEL = 'speech-1';
export const UNITS_SPEECH_MODEL = 'speech-units';
export const CANNED_SPEECH_MODEL = 'speech-canned';

const MAX_CHARACTERS = 4_096;
const input = z.string().min(1).max(MAX_CHARACTERS);
const voice = z.enum(VOICES);
const turn = z.strictObject({
  text: input,
  voice: voice.optional(),
  instructions: z.string().optional(),
});
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'no base64');

/** OpenAI's body with two extras: turns, and references in the gateway's own format. */
const speechRequest = z.looseObject({
  model: z.string(),
  input: z.union([input, z.array(turn).min(1)]),
  voice: voice.optional(),
  instructions: z.string().optional(),
  response_format: z.enum(['mp3', 'pcm']).default('mp3'),
  speed: z.number().min(0.25).max(4).default(1),
  input_references: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('input_audio'),
          input_audio: z.strictObject({ data: base64, format: z.string().optional() }),
        }),
        z.strictObject({ type: z.literal('text'), text: z.string() }),
        z.strictObject({
          type: z.literal('image_url'),
          image_url: z.strictObject({ url: z.string().startsWith('data:image/') }),
        }),
      ]),
    )
    .default([]),
});

export type SpeechRequest = z.output<typeof speechRequest>;

export function parseSpeechRequest(values: unknown): SpeechRequest {
  return parseRequest(speechRequest, values, [SPEECH_MODEL, UNITS_SPEECH_MODEL, CANNED_SPEECH_MODEL]);
}
