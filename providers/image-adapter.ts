import type { LiveCallContext } from './call-context.ts';
import type { OpenAiUsage } from './chat-adapter.ts';

/** What the model's capabilities allowed, clamped to them already. */
export interface ImageRequest {
  /** The upstream's name of the model. */
  model: string;
  prompt: string;
  n: number;
  /** Exact pixels; otherwise the upstream chooses by the two below, where there are any. */
  size?: { width: number; height: number };
  aspectRatio?: string;
  resolution?: string;
  outputFormat?: 'png' | 'jpeg' | 'webp' | 'svg';
  background?: 'auto' | 'transparent' | 'opaque';
  quality?: string;
  compression?: number;
  seed?: number;
  /** Data URLs, or URLs that the adapter reads through the outbound guard. */
  references: string[];
  /** The caller's `provider.options[<slug>]`: added, never in place of what the request says. */
  options?: Record<string, unknown>;
}

export interface MadeImage {
  /** Base64; never decoded on its way. */
  b64Json: string;
  mediaType?: string;
}

export interface ImageAnswer {
  /** May be fewer than asked for; never none. */
  images: MadeImage[];
  usage?: OpenAiUsage;
}

export type ImageEvent =
  | { type: 'partial'; index: number; b64Json: string }
  | { type: 'text'; text: string; phase: 'content' | 'reasoning' | 'draft' }
  | { type: 'completed'; image: MadeImage; usage?: OpenAiUsage };

export interface ImageAdapter {
  /** Throws ProviderError. */
  generate(request: ImageRequest, context: LiveCallContext): Promise<ImageAnswer>;
  /**
   * Resolves when the first events are there, so that every earlier failure can still fall back; absent where the
   * upstream does not stream. Fails with ProviderError; returning from the iteration closes the connection.
   */
  stream?(request: ImageRequest, context: LiveCallContext): Promise<AsyncIterable<ImageEvent[]>>;
}
