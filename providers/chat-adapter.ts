import type { LiveCallContext } from './call-context.ts';

/**
 * A request in OpenAI's shape: gateway fields are gone, `model` is the upstream's. `stream` and `stream_options`
 * are the adapter's to set.
 */
export type TextRequest = { model: string; [field: string]: unknown };

/** Plain JSON in OpenAI's shape. Its `usage`, `choices` and `id` are checked by the adapter as far as they are there. */
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
  /** In the last chunk, or in several that grow. */
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
};

export type OpenAiUsage = {
  prompt_tokens: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { [name: string]: unknown } | null;
  completion_tokens_details?: { [name: string]: unknown } | null;
  [field: string]: unknown;
};

export interface ChatAdapter {
  /** The endpoint understands `cache_control` in messages and tools; to others it is not sent. */
  readonly cacheControl: boolean;
  /**
   * The limit of an answer's tokens, beside those for thoughts, that is sent for a request without one. Absent where
   * the vendor needs none.
   */
  readonly usualMaxTokens?: number | undefined;
  /** The whole answer. Throws ProviderError; an error in a 200 is one too. */
  complete(request: TextRequest, context: LiveCallContext): Promise<ChatCompletion>;
  /**
   * Resolves when the first chunks are there, so that every earlier failure can still fall back to another
   * endpoint. Each step yields the chunks that arrived together, parsed and checked; usage is always asked for.
   * Fails with ProviderError: an error event, a stream that ends without its end, silence, an event of more than
   * `MAX_EVENT_BYTES`. Returning from the iteration closes the connection.
   */
  stream(request: TextRequest, context: LiveCallContext): Promise<AsyncIterable<ChatChunk[]>>;
}
