import type { ImageFit } from '../domain/live/image-fit.ts';
import type { LiveCallContext } from './call-context.ts';
import type { OpenAiUsage } from './chat-adapter.ts';

/** What the endpoint's capabilities allowed. */
export interface ImageRequest extends ImageFit {
  /** The upstream's name of the model. */
  model: string;
  prompt: string;
  /** Data URLs, or URLs that the adapter reads through the outbound guard. */
  references: string[];
  /** The caller's `provider.options[<slug>]`: added, never in place of what the request says. */
  options?: Record<string, unknown>;
}

/**
 * A picture in base64, as text or as the bytes of that text where nobody has to read them; never decoded on its way.
 * Without quotes, backslashes and line ends: it may stand in JSON as it is.
 */
export type Base64 = string | Buffer;

export interface MadeImage {
  b64Json: Base64;
  /** Where it is another than the one asked for. */
  mediaType?: string;
}

export interface ImageAnswer {
  /** May be fewer than asked for, never more and never none. */
  images: MadeImage[];
  usage?: OpenAiUsage;
}

/** `imageIndex` is the place of the picture among those that were asked for. */
export type ImageEvent =
  /** `b64Json` as of a finished picture. `index` is the place of the draft among those of its picture. */
  | { type: 'partial'; imageIndex: number; index: number; b64Json: string }
  | { type: 'text'; text: string; phase: 'content' | 'reasoning' | 'draft' }
  /** `usage` is of this picture, or of all that came so far since the last that had one. */
  | { type: 'completed'; imageIndex: number; image: MadeImage; usage?: OpenAiUsage };

export interface ImageAdapter {
  /** Throws ProviderError. */
  generate(request: ImageRequest, context: LiveCallContext): Promise<ImageAnswer>;
  /**
   * Resolves when the first events are there, so that every earlier failure can still fall back; absent where the
   * upstream does not stream. Ends after the last picture that was asked for, if not before. Fails with ProviderError;
   * returning from the iteration closes the connection.
   */
  stream?(request: ImageRequest, context: LiveCallContext): Promise<AsyncIterable<ImageEvent[]>>;
}
