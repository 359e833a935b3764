/** Defines the interface of adapters for speech, with its requests and answers. */
import type { Amount } from '../domain/amount.ts';
import type { RequestedSpeech } from '../domain/live/speech.ts';
import type { LiveCallContext } from './call-context.ts';

/**
 * A request that the endpoint can serve. If the caller gave neither a voice nor references, it has the endpoint's
 * default voice.
 */
export interface SpeechRequest extends RequestedSpeech {
  /** The upstream's name of the model. */
  model: string;
  /** The caller's `provider.options[<slug>]`. The adapter adds them to the request, but replaces no field of it. */
  options?: Record<string, unknown> | undefined;
}

/** An answer whose sound has begun to arrive. PCM has 24,000 samples a second of 16 bit, little-endian, mono. */
export interface SpeechAnswer {
  upstreamId?: string | undefined;
  /** The vendor's own units, as it reports them. */
  units?: Amount | undefined;
  /**
   * Yields the chunks that arrived together. Fails with ProviderError; returning from the iteration closes the
   * connection.
   */
  audio: AsyncIterable<Buffer[]>;
}

export interface SpeechAdapter {
  /**
   * Speaks a text. Resolves with the first bytes, so that earlier failures can fall back to another endpoint. Audio
   * clips in `references` are base64, data URLs or http(s) URLs, which the adapter reads through the outbound guard.
   * Throws ProviderError.
   */
  speak(request: SpeechRequest, context: LiveCallContext): Promise<SpeechAnswer>;
}
