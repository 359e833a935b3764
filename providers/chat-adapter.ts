/** Defines the interface of adapters for chat, with its requests, answers and chunks. */
import type { LiveCallContext } from './call-context.ts';

/**
 * A request in OpenAI's format without gateway fields; `model` is the upstream's. The adapter sets `stream` and
 * `stream_options`.
 */
export type TextRequest = { model: string; [field: string]: unknown };

/** An answer as plain JSON in OpenAI's format. The adapter checks `usage`, `choices` and `id` if they are present. */
export type ChatCompletion = {
  id?: string;
  choices: ChatChoice[];
  usage?: OpenAiUsage | null;
  service_tier?: string | null;
  [field: string]: unknown;
};

export type ChatChoice = {
  index: number;
  finish_reason: string | null;
  message: { role: string; content?: unknown; tool_calls?: unknown[]; [field: string]: unknown };
  [field: string]: unknown;
};

export type ChatChunk = {
  id?: string;
  choices: {
    index: number;
    finish_reason?: string | null;
    delta: { role?: string; content?: unknown; tool_calls?: unknown[]; [field: string]: unknown };
    [field: string]: unknown;
  }[];
  /** Set in the last chunk, or in several with growing counts. */
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
};

export type OpenAiUsage = {
  prompt_tokens: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { [name: string]: unknown } | null | undefined;
  completion_tokens_details?: { [name: string]: unknown } | null;
  /** The usages of several calls that add up to this one. */
  calls?: unknown;
  [field: string]: unknown;
};

export interface ChatAdapter {
  /** True: the endpoint supports `cache_control` in messages and tools. Other endpoints receive requests without it. */
  readonly cacheControl: boolean;
  /** The token limit, without reasoning, of requests that contain none. Absent if the vendor requires no limit. */
  readonly defaultMaxTokens?: number | undefined;
  /** Returns the complete answer. Throws ProviderError, also for an error in a 200. */
  complete(request: TextRequest, context: LiveCallContext): Promise<ChatCompletion>;
  /**
   * Streams an answer. Resolves with the first chunks, so that earlier failures can fall back to another endpoint. Each
   * step yields the chunks that arrived together, parsed and checked. Usage is always requested.
   *
   * Fails with ProviderError on an error event, a stream that breaks off, silence, or an event that is too
   * long. Returning from the iteration closes the connection.
   */
  stream(request: TextRequest, context: LiveCallContext): Promise<AsyncIterable<ChatChunk[]>>;
}
