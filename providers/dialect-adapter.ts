import type { LiveCallContext } from './call-context.ts';
import type { TextRequest } from './chat-adapter.ts';

/** Plain JSON in the dialect's shape; what the gateway relies on is checked by the adapter as far as it is there. */
export type DialectObject = { [field: string]: unknown };

/** An event of the dialect: its `type` is in the data too. */
export type DialectEvent = { type: string; [field: string]: unknown };

/**
 * A dialect that an upstream speaks natively: Anthropic's messages or OpenAI's responses. Requests have the
 * dialect's own shape, without gateway fields, with the upstream's name of the model; `stream` is the adapter's to set.
 */
export interface DialectAdapter {
  /** As of ChatAdapter. Absent where `cache_control` is the dialect's own. */
  readonly cacheControl?: boolean;
  /** As of ChatAdapter. */
  readonly usualMaxTokens?: number | undefined;
  /** The whole answer. Throws ProviderError; an error in a 200 is one too. */
  create(request: TextRequest, context: LiveCallContext): Promise<DialectObject>;
  /**
   * Resolves when the first events are there. Each step yields the events that arrived together. Fails with
   * ProviderError: an error event, a stream that ends without its end, silence, an event that is too long.
   * Returning from the iteration closes the connection.
   */
  stream(request: TextRequest, context: LiveCallContext): Promise<AsyncIterable<DialectEvent[]>>;
}
