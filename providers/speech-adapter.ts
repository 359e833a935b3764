import type { AskedSpeech } from '../domain/live/speech.ts';
import type { LiveCallContext } from './call-context.ts';

/** What the endpoint's capabilities allowed, with its own voice where the caller named none. */
export interface SpeechRequest extends AskedSpeech {
  /** The upstream's name of the model. */
  model: string;
  /** The caller's `provider.options[<slug>]`: added, never in place of what the request says. */
  options?: Record<string, unknown>;
}

/** Sound that has begun. PCM has 24,000 samples a second of 16 bit, little-endian, mono (design: §8). */
export interface SpeechAnswer {
  upstreamId?: string;
  /** What arrived together. Fails with ProviderError; returning from the iteration closes the connection. */
  audio: AsyncIterable<Buffer[]>;
}

export interface SpeechAdapter {
  /**
   * Resolves when the first bytes are there, so that every earlier failure can still fall back. Clips are base64, data
   * URLs or http(s) URLs, which the adapter reads through the outbound guard. Throws ProviderError.
   */
  speak(request: SpeechRequest, context: LiveCallContext): Promise<SpeechAnswer>;
}
