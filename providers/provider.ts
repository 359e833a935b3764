/** Defines what a provider offers to the gateway: one adapter for each capability. */
import type { CallContext } from './call-context.ts';
import type { ChatAdapter } from './chat-adapter.ts';
import type { DialectAdapter } from './dialect-adapter.ts';
import type { EmbeddingsAdapter } from './embeddings-adapter.ts';
import type { ImageAdapter } from './image-adapter.ts';
import type { RerankAdapter } from './rerank-adapter.ts';
import type { SpeechAdapter } from './speech-adapter.ts';
import type { VideoAdapter } from './video-adapter.ts';

/** An upstream with the capabilities of its adapter. */
export interface Provider {
  readonly slug: string;
  /**
   * True: the upstream is a vendor outside of the operator's network, and may receive URLs of customers. Absent: it may
   * be inside the network, so the gateway fetches the URLs and sends the media (ADR 0042).
   */
  readonly takesUrls?: true;
  readonly video?: VideoAdapter;
  readonly chat?: ChatAdapter;
  readonly embeddings?: EmbeddingsAdapter;
  readonly rerank?: RerankAdapter;
  readonly image?: ImageAdapter;
  readonly speech?: SpeechAdapter;
  /** Chat in Anthropic's dialect, if the upstream supports it. */
  readonly messages?: DialectAdapter;
  /** Chat in OpenAI's Responses dialect, if the upstream supports it. */
  readonly responses?: DialectAdapter;
  /**
   * Asks the vendor for something that costs nothing and needs the key. Rejects with a ProviderError. Present for
   * vendors of media, each call of which costs more.
   */
  readonly checkKey?: (context: CallContext) => Promise<void>;
  /**
   * Returns the adapters for a model of another maker, whose wire differs; undefined for all other models. `model` is
   * the upstream's name. Absent: all models have one wire.
   */
  readonly ofModel?: (model: string) => Provider | undefined;
}

/** Returns the adapters of a provider for the model of this name at the upstream. */
export function providerFor(provider: Provider, model: string): Provider {
  return provider.ofModel?.(model) ?? provider;
}
