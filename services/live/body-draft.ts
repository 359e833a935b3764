/** Gathers the prompt and the answer of a generation for the log and for observability destinations. */
import type { BroadcastContent } from '../../domain/broadcast/event.ts';
import type { Json } from '../../domain/ledger/broadcast-facts.ts';
import type { AppError } from '../../domain/errors.ts';
import type { ApiType, ProviderResponse } from '../../domain/ledger/generation.ts';
import type { LoggedAttempt, LoggedBody, LoggedError } from '../../domain/ledger/logged-body.ts';
import type { ChatChunk, ChatCompletion } from '../../providers/chat-adapter.ts';
import { collectChoices } from './chat/collected-choices.ts';
import { readPrompt } from './forwarded-prompt.ts';
import { withoutMedia } from '../ledger/bodies/without-media.ts';

/**
 * Returns the public part of an error. `exact` is for operations whose messages come only from the table of codes
 * (contract/operation.ts).
 */
export type ShowError = (
  error: AppError,
  messages?: 'exact',
) => { code: number; message: string; metadata?: object | undefined };

/**
 * Creates a draft. `input` is the conversation of a chat, or the input of another operation. `body` is the whole
 * request. `hold` is called with the length of each text of the answer that is kept.
 */
export function createBodyDraft(
  apiType: ApiType,
  input: unknown,
  body: unknown = {},
  hold: (length: number) => void = () => {},
) {
  const choices = collectChoices(hold);
  let clean: unknown;
  const cleanInput = (): unknown => (clean ??= withoutMedia(input));
  let ranked: readonly object[] | undefined;
  let failure: AppError | undefined;
  return {
    /** Adds a whole answer, before anything in it is changed. */
    answer(answer: ChatCompletion): void {
      for (const { index, message, finish_reason: reason } of answer.choices)
        choices.add(index, message, reason);
    },
    /** Adds the next chunk of a streamed answer. */
    addChunk(chunk: ChatChunk): void {
      for (const { index, delta, finish_reason: reason } of chunk.choices) choices.add(index, delta, reason);
    },
    /** Adds the documents of a rerank answer with their scores. */
    rank(results: readonly object[]): void {
      ranked = results;
    },
    /** Records the error that the caller gets, in place of an answer or at the end of a stream. */
    fail(error: AppError): void {
      failure = error;
    },
    /** Returns the body to log. `showError` returns the public part of an error. */
    finish: (responses: readonly ProviderResponse[], showError: ShowError): LoggedBody => ({
      input:
        apiType === 'completions'
          ? { messages: cleanInput() as unknown[] }
          : { prompt: promptOf(cleanInput()) },
      output: choices.output(),
      error: failure === undefined ? null : describeError(showError(failure), responses),
    }),
    /**
     * Returns prompt and answer as destinations receive them. `finishReason` is the finish reason of the generation.
     */
    content: (finishReason: string | null): BroadcastContent => ({
      ...readPrompt(apiType, cleanInput(), body),
      output: ranked === undefined ? choices.messages(finishReason) : (withoutMedia(ranked) as Json[]),
      outputText: choices.text(),
    }),
  };
}

/**
 * Collects prompt and answer of a generation. A generation has a draft only when its workspace logs them or a
 * destination needs them. The draft removes media once for both uses.
 */
export type BodyDraft = ReturnType<typeof createBodyDraft>;

/** Returns a text unchanged and anything else as JSON. */
function promptOf(clean: unknown): string {
  return typeof clean === 'string' ? clean : JSON.stringify(clean);
}

/** The logged status of an attempt that got no answer. */
const STATUS_WITHOUT_ANSWER = 502;

function describeError(
  { code, message }: { code: number; message: string },
  responses: readonly ProviderResponse[],
): LoggedError {
  const attempts = responses.flatMap(({ error, status, provider_name: providerName }): LoggedAttempt[] =>
    error === undefined ? [] : [{ code: status ?? STATUS_WITHOUT_ANSWER, message: error, providerName }],
  );
  const last = responses.at(-1);
  // When the answer of the last attempt broke off, that attempt's error is the reported failure, not a previous one.
  const previousErrors = last?.error === undefined ? attempts : attempts.slice(0, -1);
  return { message, status: code, providerName: last?.provider_name ?? null, previousErrors };
}
