import type { AppError } from '../../domain/errors.ts';
import type { ApiType, ProviderResponse } from '../../domain/generation.ts';
import type { LoggedAttempt, LoggedBody, LoggedError } from '../../domain/logged-body.ts';
import type { ChatChunk, ChatCompletion } from '../../providers/chat-adapter.ts';
import { collectChoices } from './chat/collected-choices.ts';
import { withoutMedia } from '../logged-bodies/without-media.ts';

/** Collects what is asked and answered. There is one only for a generation whose workspace wants it logged. */
export interface BodyDraft {
  /** A whole answer, before anything in it is changed. */
  answer(answer: ChatCompletion): void;
  /** The next piece of a streamed one. */
  see(chunk: ChatChunk): void;
  /** What the caller is told instead, or at the end. */
  fail(error: AppError): void;
  /** `showError` gives what the caller sees of an error. */
  finish(responses: readonly ProviderResponse[], showError: ShowError): LoggedBody;
}

export type ShowError = (error: AppError) => { code: number; message: string; metadata?: object | undefined };

/** `input` is the conversation of a chat, or what else was sent to be worked on. */
export function createBodyDraft(apiType: ApiType, input: unknown): BodyDraft {
  const choices = collectChoices();
  let failure: AppError | undefined;
  return {
    answer(answer) {
      for (const { index, message } of answer.choices) choices.add(index, message);
    },
    see(chunk) {
      for (const { index, delta } of chunk.choices) choices.add(index, delta);
    },
    fail(error) {
      failure = error;
    },
    finish: (responses, showError) => ({
      input: apiType === 'completions' ? { messages: messagesOf(input) } : { prompt: promptOf(input) },
      output: choices.output(),
      error: failure === undefined ? null : describeError(showError(failure), responses),
    }),
  };
}

function messagesOf(input: unknown): unknown[] {
  return withoutMedia(input) as unknown[];
}

/** One text as it is, anything else as JSON. */
function promptOf(input: unknown): string {
  const clean = withoutMedia(input);
  return typeof clean === 'string' ? clean : JSON.stringify(clean);
}

/** Told for an attempt that had no answer at all. */
const STATUS_WITHOUT_ANSWER = 502;

function describeError(
  { code, message }: { code: number; message: string },
  responses: readonly ProviderResponse[],
): LoggedError {
  const attempts = responses.flatMap(({ error, status, provider_name: providerName }): LoggedAttempt[] =>
    error === undefined ? [] : [{ code: status ?? STATUS_WITHOUT_ANSWER, message: error, providerName }],
  );
  const last = responses.at(-1);
  // An answer that broke off is the reported failure itself, though its attempt had begun well.
  const previousErrors = last?.error === undefined ? attempts : attempts.slice(0, -1);
  return { message, status: code, providerName: last?.provider_name ?? null, previousErrors };
}
