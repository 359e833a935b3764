import type { ChatAdapter } from './chat-adapter.ts';
import type { DialectAdapter } from './dialect-adapter.ts';
import type { EmbeddingsAdapter } from './embeddings-adapter.ts';
import type { ImageAdapter } from './image-adapter.ts';
import type { RerankAdapter } from './rerank-adapter.ts';
import type { SpeechAdapter } from './speech-adapter.ts';
import type { VideoAdapter } from './video-adapter.ts';

/** An upstream, with the capabilities that its adapter has. */
export interface Provider {
  readonly slug: string;
  /**
   * The upstream is a vendor's, outside of the operator's network, and may be sent the URLs that customers name. Absent: the
   * upstream may stand where only the operator should reach, so the gateway fetches the URLs and sends the media.
   */
  readonly takesUrls?: true;
  readonly video?: VideoAdapter;
  readonly chat?: ChatAdapter;
  readonly embeddings?: EmbeddingsAdapter;
  readonly rerank?: RerankAdapter;
  readonly image?: ImageAdapter;
  readonly speech?: SpeechAdapter;
  /** Chat in Anthropic's dialect, where the upstream speaks it. */
  readonly messages?: DialectAdapter;
  /** Chat in the dialect of OpenAI's Responses, where the upstream speaks it. */
  readonly responses?: DialectAdapter;
}
