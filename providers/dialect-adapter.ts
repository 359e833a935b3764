/** Defines the interface of adapters that pass requests on in a vendor's own dialect. */
import type { LiveCallContext } from './call-context.ts';
import type { TextRequest } from './chat-adapter.ts';

/** Plain JSON in the dialect's format. The adapter checks the fields that the gateway uses, if they are present. */
export type DialectObject = { [field: string]: unknown };

/** An event of the dialect. Its data contains its `type` too. */
export type DialectEvent = { type: string; [field: string]: unknown };

/**
 * An adapter for an upstream's native dialect: Anthropic's messages or OpenAI's responses. Requests have the dialect's
 * format without gateway fields; `model` is the upstream's. The adapter sets `stream`.
 */
export interface DialectAdapter {
  /** True: the endpoint supports `cache_control`. Absent if it is part of the dialect. */
  readonly cacheControl?: boolean;
  /** The token limit, without reasoning, of requests that contain none. */
  readonly defaultMaxTokens?: number | undefined;
  /** Returns the complete answer. Throws ProviderError, also for an error in a 200. */
  create(request: TextRequest, context: LiveCallContext): Promise<DialectObject>;
  /**
   * Streams an answer. Resolves with the first events. Each step yields the events that arrived together. Fails with
   * ProviderError on an error event, a stream that breaks off, silence, or an event that is too long. Returning from
   * the iteration closes the connection.
   */
  stream(request: TextRequest, context: LiveCallContext): Promise<AsyncIterable<DialectEvent[]>>;
}
