/** Defines the interface of adapters for images, with its requests, answers and events. */
import type { Amount } from '../domain/amount.ts';
import type { ImageFit } from '../domain/live/image-fit.ts';
import type { LiveCallContext } from './call-context.ts';
import type { OpenAiUsage } from './chat-adapter.ts';

/** A request for pictures, adapted to the endpoint's capabilities. */
export interface ImageRequest extends ImageFit {
  /** The upstream's name of the model. */
  model: string;
  prompt: string;
  /** Data URLs, or URLs that the adapter reads through the outbound guard. */
  references: string[];
  /** The caller's `provider.options[<slug>]`. They are added to the request, but replace no field of it. */
  options?: Record<string, unknown> | undefined;
}

/**
 * A picture in base64, as text or as the bytes of the text. It is never decoded. It has no quotes, backslashes and line
 * ends, so it can be copied into JSON.
 */
export type Base64 = string | Buffer;

export interface MadeImage {
  b64Json: Base64;
  /** Set if it differs from the requested type. */
  mediaType?: string | undefined;
}

/** The size and quality of pictures, as the upstream states them. */
export interface StatedPicture {
  size?: string | undefined;
  quality?: string | undefined;
}

export interface ImageAnswer {
  /** One picture or more, at most as many as requested. */
  images: MadeImage[];
  usage?: OpenAiUsage | undefined;
  stated?: StatedPicture | undefined;
  /** The vendor's own units, as it reports them. */
  units?: Amount | undefined;
}

/** An event of a stream of pictures. `imageIndex` is the index of the picture among those requested. */
export type ImageEvent =
  /** A draft: `index` is its place among the drafts of its picture. */
  | { type: 'partial'; imageIndex: number; index: number; b64Json: string }
  | { type: 'text'; text: string; phase: 'content' | 'reasoning' | 'draft' }
  /**
   * A finished picture. `usage` is that of this picture, or of all since the last event with usage. `units` are those
   * of the whole stream.
   */
  | ({ type: 'completed'; imageIndex: number; image: MadeImage } & Pick<
      ImageAnswer,
      'usage' | 'stated' | 'units'
    >);

export interface ImageAdapter {
  /** Makes pictures. Throws ProviderError. */
  generate(request: ImageRequest, context: LiveCallContext): Promise<ImageAnswer>;
  /**
   * Streams pictures; absent if the upstream does not stream. Resolves with the first events, so that earlier failures
   * can fall back to another endpoint. Ends after the last requested picture at the latest. Fails with ProviderError.
   * Returning from the iteration closes the connection.
   */
  stream?(request: ImageRequest, context: LiveCallContext): Promise<AsyncIterable<ImageEvent[]>>;
}
