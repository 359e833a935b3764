/** Defines the faults that the local upstream can simulate in text answers and streams. */
import { z } from 'zod';

/** The fields of faults within a text: between a stream's events, or in a complete answer. */
const milliseconds = z.int().min(0).max(3_600_000);
const onText = {
  on: z.enum(['chat', 'messages', 'rerank', 'speech', 'images']).default('chat'),
  times: z.int().min(1).max(1_000_000).default(1),
  delayMs: milliseconds.default(0),
};
/** The number of events before the fault. */
const events = z.int().min(0).default(1);
const message = z.string().default('Failed on request.');

const tokens = z.number();
const usageValues = z.looseObject({
  prompt_tokens: tokens.optional(),
  completion_tokens: tokens.optional(),
  total_tokens: tokens.optional(),
});

export const textFaults = [
  z
    .object({ kind: z.literal('slow-start'), ...onText, ms: milliseconds })
    .describe('Sends the headers at once and the body after ms'),
  z
    .object({
      kind: z.literal('drip'),
      ...onText,
      unit: z.enum(['byte', 'event']).default('event'),
      everyMs: milliseconds.default(0),
    })
    .describe('Sends one byte or one event at a time; bytes cut characters apart'),
  z
    .object({ kind: z.literal('cut-stream'), ...onText, events })
    .describe('Cuts the connection after some events'),
  z
    .object({ kind: z.literal('end-early'), ...onText, events })
    .describe('Ends the answer properly after some events, without finish_reason and [DONE]'),
  z.object({ kind: z.literal('hang-stream'), ...onText, events }).describe('Falls silent after some events'),
  z
    .object({
      kind: z.literal('error-event'),
      ...onText,
      events,
      named: z.boolean().default(false).describe('As an `event: error`'),
      code: z.union([z.string(), z.int()]).default('server_error'),
      message,
    })
    .describe('Sends an error in place of the rest of the stream'),
  z
    .object({
      kind: z.literal('error-body'),
      ...onText,
      code: z.union([z.string(), z.int()]).default('server_error'),
      message,
    })
    .describe('Answers 200 with an error object, streamed or not'),
  z
    .object({
      kind: z.literal('long-line'),
      ...onText,
      events,
      bytes: z
        .int()
        .min(1)
        .default(100 * 1024 ** 2),
    })
    .describe('Sends a line of that length in place of the rest of the stream'),
  z
    .object({
      kind: z.literal('usage'),
      ...onText,
      how: z
        .enum(['never', 'late', 'twice', 'set'])
        .describe('Leaves it out, sends it after ms, sends a smaller one first, or sends `values`'),
      ms: milliseconds.default(0),
      values: usageValues.default({}),
    })
    .describe('Does something else with the count of tokens'),
] as const;

const textFault = z.discriminatedUnion('kind', [...textFaults]);
export type TextFault = z.output<typeof textFault>;

const KINDS = new Set<string>(textFaults.map(({ shape }) => shape.kind.value));

export function isTextFault(fault: { kind: string }): fault is TextFault {
  return KINDS.has(fault.kind);
}
