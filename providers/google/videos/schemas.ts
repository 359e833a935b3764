/** Defines the parts of Google's interactions that the adapter reads. */
import { z } from 'zod';
import { fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { readModalityTokens } from '../../modality-tokens.ts';
import { wordsIn } from './long-strings.ts';

const text = z.string().max(200);

/** The id of an interaction, without the name of its collection. */
const interactionId = z
  .string()
  .min(1)
  .max(1_000)
  .transform((id) => id.replace(/^interactions\//, ''))
  .refine((id) => id !== '' && id !== '.' && id !== '..', 'must name something in a path');

export const operationSchema = z.object({ id: interactionId });

export const interactionSchema = z
  .object({
    status: text,
    steps: z.unknown().optional().transform(fieldsIn),
    usage: z.record(z.string(), z.unknown()).catch({}).default({}),
    errors: z.unknown().optional().transform(fieldsIn),
    error: z.unknown().optional(),
  })
  .transform(({ status, steps, usage, errors, error }) => {
    const outputs = steps.filter(({ type }) => type === 'model_output');
    const contents = outputs.flatMap(({ content }) => fieldsIn(content));
    const [failure] = [...errors, error, ...steps.map((step) => step['error'])].filter(isFields);
    const report = readModalityTokens(usage);
    return {
      status,
      video: videoIn(contents),
      words: wordsOf(contents),
      code: wordsIn(failure?.['code']),
      message: wordsIn(failure?.['message']),
      charge: Object.keys(report).length === 0 ? {} : { report },
    };
  });
export type Interaction = z.output<typeof interactionSchema>;

/** The answer to a cancel; some servers answer an empty body. */
export const cancelSchema = interactionSchema.nullable();

export const fileSchema = z.object({ state: text.optional() });

/** The body of a callback. */
export const callbackSchema = z.object({
  type: z.string().min(1).max(100),
  data: z.object({ id: interactionId }),
});

/** Returns the location of the last video: an address, or its place in the answer. */
function videoIn(contents: Record<string, unknown>[]): string | undefined {
  const videos = contents.filter(({ type }) => type === 'video');
  return videos.map(({ uri, data }) => textOf(uri) || textOf(data)).findLast((found) => found !== '');
}

/** Returns what the model says in place of a video; empty if it says nothing. */
function wordsOf(contents: Record<string, unknown>[]): string {
  const texts = contents.filter(({ type }) => type === 'text');
  return texts
    .map((content) => wordsIn(content['text']))
    .join(' ')
    .trim();
}
