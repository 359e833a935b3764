/** Turns an upstream's chat stream into the server-sent events of the caller. */
import type { AppError } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import { TextChunk } from '../../../providers/text-chunk.ts';
import type { OpenGeneration } from '../generation.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { Answered, EarlyFailure, LiveStream } from '../pipeline/live-operation.ts';
import { billText, type TextBill } from '../pipeline/text-bill.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { showUsage, type ShownUsage } from '../token-usage.ts';
import { ChatMeter } from './chat-meter.ts';
import { type ChunkForm, createChunkWriter, event, jsonEvent, type Stamp, stamped } from './chunk-writer.ts';

const DONE = 'data: [DONE]\n\n';

interface ChatStreamTerms {
  /** Reads the prompt as it is sent to the target. */
  promptAt(target: Target): PromptFacts;
  /** True when the caller asks for a separate chunk with the usage, as OpenAI sends it. */
  includesUsage: boolean;
  form: ChunkForm;
}

/**
 * Presents a chat's stream: every chunk carries the generation's id, and chunks that arrive together are sent together.
 *
 * The usage is part of the chunk with the last finish reason, because simple loops and some libraries fail on a chunk
 * without choices. That chunk waits until the generation is in the ledger. Callers who ask for a separate chunk get it
 * in OpenAI's shape, with `usage: null` on all others. A failure in mid-stream is the last event and has the usage.
 */
export function streamChat(
  deps: LiveDeps,
  open: OpenGeneration,
  { promptAt, includesUsage, form }: ChatStreamTerms,
  { target, answer, providerName }: Answered<AsyncIterable<ChatChunk[]>>,
): LiveStream<ChatChunk, TextBill> {
  const stamp = stampOf(open, { includesUsage, form }, { target, providerName });
  const meter = new ChatMeter();
  const chunkEvent = createChunkWriter(stamp, form);
  const errorEvent = (failure: AppError, usage?: ShownUsage): string =>
    event(form.write(errorChunk(deps, stamp, failure, usage)));
  const { draft } = open;
  /** The JSON of the chunk with the last finish reason so far. Its objects may take many times the memory. */
  let lastChunk: string | undefined;
  const show = (chunk: ChatChunk): string => {
    if (includesUsage || !hasFinished(chunk)) return chunkEvent(chunk);
    const before = lastChunk;
    lastChunk = JSON.stringify(form.write(stamped(chunk, stamp)));
    return before === undefined ? '' : jsonEvent(before);
  };
  return {
    parts: answer,
    present(arrived) {
      let text = '';
      for (const chunk of arrived) {
        meter.addChunk(chunk);
        draft?.addChunk(chunk);
        text += show(chunk);
      }
      return text;
    },
    bill: (failure) => billText(target, promptAt(target), meter, failure),
    last({ usage: tokens, cost }, failure) {
      const usage = showUsage(tokens, cost, meter.counted, target);
      const withUsage = event({ ...stamp, choices: [], usage });
      if (failure !== undefined) {
        const finished = lastChunk === undefined ? '' : jsonEvent(lastChunk);
        return includesUsage
          ? errorEvent(failure) + withUsage + DONE
          : finished + errorEvent(failure, usage) + DONE;
      }
      if (lastChunk === undefined) return withUsage + DONE;
      return jsonEvent(`${lastChunk.slice(0, -1)},"usage":${JSON.stringify(usage)}}`) + DONE;
    },
    internalErrorEvent: (error) => errorEvent(error) + DONE,
  };
}

/**
 * Presents the stream of a chat that failed before its first chunk. The stream has no usage, because nothing was used.
 */
export function failedChat(
  deps: LiveDeps,
  open: OpenGeneration,
  terms: ChatStreamTerms,
  failure: EarlyFailure,
): string {
  return event(terms.form.write(errorChunk(deps, stampOf(open, terms, failure), failure.error))) + DONE;
}

function stampOf(
  { id, startedAtMs }: OpenGeneration,
  { includesUsage, form }: Pick<ChatStreamTerms, 'includesUsage' | 'form'>,
  { target, providerName }: Pick<EarlyFailure, 'target' | 'providerName'>,
): Stamp {
  return {
    id,
    object: form.object,
    created: Math.floor(startedAtMs / 1_000),
    model: target.model.id,
    provider: providerName,
    ...(includesUsage ? { usage: null } : {}),
  };
}

function hasFinished(chunk: ChatChunk): boolean {
  return !(chunk instanceof TextChunk) && chunk.choices.some(({ finish_reason: reason }) => Boolean(reason));
}

function errorChunk({ showError }: LiveDeps, stamp: Stamp, error: AppError, usage?: ShownUsage): ChatChunk {
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
  return { ...stamp, choices, error: showError(error), ...(usage && { usage }) };
}
