/** Defines a habit of a vendor that speaks OpenAI's wire, and the usual answer, of which habits are variants. */
import type { Deviation } from '../../../domain/catalog/deviations.ts';
import type { Fields } from '../../../domain/fields.ts';
import type { ProviderError } from '../../../domain/provider-error.ts';

/** An answer as a caller of either form gets it. */
export interface Seen {
  text: string;
  reasoning: string;
  /** Each call as its index, name and arguments. */
  calls: string[];
  finish: string | null | undefined;
  usage: Fields | null | undefined;
  error: Partial<ProviderError>;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body: object | string;
}

export interface Habit {
  /** What the gateway does about it. */
  title: string;
  /** The fields of the request, besides the model. */
  request?: Fields;
  /** The events of a stream, of which a whole answer is made too. Texts are sent as they are. Absent: `HELLO`. */
  events?: (Fields | string)[];
  /** The end of each line. Absent: `\n`. */
  newline?: string;
  /** What follows the events. Absent: `[DONE]`. */
  end?: string;
  /** The answer in place of the events, if any. */
  answers?(request: Fields): Answer | undefined;
  /** The vendor says nothing, or breaks the connection after the first event. */
  fails?: 'silent' | 'cut';
  seen: Partial<Seen>;
  /** The fields that reach the vendor, by its deviations. Undefined stands for an absent field. */
  sent?(has: (deviation: Deviation) => boolean): Fields;
  /** The number of requests for a stream. Absent: one. */
  asks?(has: (deviation: Deviation) => boolean): number;
}

/** A piece of a stream, with the reason of its end, if it is the last one. */
export const piece = (delta: Fields, finish: string | null = null): Fields => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
export const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
export const end = (reason: string | null, usage: Fields = USAGE): Fields => ({
  ...piece({}, reason),
  usage,
});
/** The usual answer, and what callers see of it. */
export const HELLO = [piece({ role: 'assistant', content: 'Hel' }), piece({ content: 'lo' }), end('stop')];
export const TEXT = { text: 'Hello', finish: 'stop' };
