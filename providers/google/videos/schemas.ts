/** Defines the parts of Google's interactions that the adapter reads. */
import { z } from 'zod';
import { fieldsIn, isFields } from '../../../domain/fields.ts';
import { type FoundString, foundString } from './long-strings.ts';

const text = z.string().max(200);

/** The id of an interaction, without the name of its collection. */
const interactionId = z
  .string()
  .min(1)
  .max(1_000)
  .transform((id) => id.replace(/^interactions\//, ''))
  .refine((id) => id !== '' && id !== '.' && id !== '..', 'must name something in a path');

export const operationSchema = z.object({ id: interactionId });

const fields = z.record(z.string(), z.unknown()).catch({});

export const interactionSchema = z.object({
  status: text,
  steps: z.unknown().optional().transform(fieldsIn),
  usage: fields.optional(),
  errors: z.unknown().optional().transform(fieldsIn),
  error: z.unknown().optional(),
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

/** Returns the last video among the outputs of the model: an address, or base64 in the answer itself. */
export function videoOf({ steps }: Interaction): FoundString | undefined {
  const videos = outputsOf(steps).filter(({ type }) => type === 'video');
  const found = videos.map(({ uri, data }) => foundString(uri) ?? foundString(data));
  return found.filter((each) => each !== undefined).at(-1);
}

/** Returns what the model says in place of a video; empty if it says nothing. */
export function wordsOf({ steps }: Interaction): string {
  const words = outputsOf(steps).map(({ type, text: said }) =>
    type === 'text' ? foundString(said) : undefined,
  );
  return words
    .map((each) => (each !== undefined && 'text' in each ? each.text : ''))
    .join(' ')
    .trim();
}

function outputsOf(steps: Record<string, unknown>[]): Record<string, unknown>[] {
  return steps.filter(({ type }) => type === 'model_output').flatMap(({ content }) => fieldsIn(content));
}

/** Returns the code and the message of the error that ended an interaction, if it states them. */
export function errorOf({ errors, error, steps }: Interaction): { code?: string; message?: string } {
  const [first] = [...errors, error, ...steps.map((step) => step['error'])].filter(isFields);
  const [code, message] = [first?.['code'], first?.['message']].map(foundString);
  return {
    ...(code !== undefined && 'text' in code && { code: code.text }),
    ...(message !== undefined && 'text' in message && { message: message.text }),
  };
}
