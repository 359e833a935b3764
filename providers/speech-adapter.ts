import type { LiveCallContext } from './call-context.ts';

export interface SpeechTurn {
  text: string;
  voice?: string;
  instructions?: string;
}

export interface SpeechRequest {
  /** The upstream's name of the model. */
  model: string;
  input: string | SpeechTurn[];
  voice?: string;
  instructions?: string;
  format: 'mp3' | 'pcm';
  speed?: number;
  /** Reference audio with its transcript, or one picture; never both. Data is base64 or a URL for the outbound guard. */
  references: (
    { kind: 'audio'; data: string; format?: string; transcript?: string } | { kind: 'image'; url: string }
  )[];
  /** The caller's `provider.options[<slug>]`: added, never in place of what the request says. */
  options?: Record<string, unknown>;
}

/** Sound that has begun. */
export interface SpeechAnswer {
  /** Of `pcm`: samples a second, 16 bit, little-endian, mono. */
  sampleRate?: number;
  upstreamId?: string;
  /** The bytes as they come. Fails with ProviderError; returning from the iteration closes the connection. */
  audio: AsyncIterable<Buffer>;
}

export interface SpeechAdapter {
  /** Resolves when the first bytes are there, so that every earlier failure can still fall back. Throws ProviderError. */
  speak(request: SpeechRequest, context: LiveCallContext): Promise<SpeechAnswer>;
}
