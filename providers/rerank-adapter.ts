/** Defines the interface of adapters for rerank, with its requests and answers. */
import type { LiveCallContext } from './call-context.ts';

/** A document to rank: text, a picture, or both. */
export interface RerankDocument {
  text?: string | null | undefined;
  /** A data URL, or a URL that the outbound guard accepted. */
  image?: string | null | undefined;
}

export interface RerankRequest {
  /** The upstream's name of the model. */
  model: string;
  query: string;
  documents: (string | RerankDocument)[];
  topN?: number | undefined;
  /** The caller's `provider.options[<slug>]`. They are added to the request, but replace no field of it. */
  options?: Record<string, unknown> | undefined;
}

export interface RerankAnswer {
  id?: string | undefined;
  /** The results in the upstream's order. Each index names a different document of the request. */
  results: { index: number; relevanceScore: number }[];
  usage: { searchUnits?: number | undefined; totalTokens?: number | undefined };
}

export interface RerankAdapter {
  /** True: the upstream takes pictures. The gateway sends other upstreams none. */
  readonly acceptsImages: boolean;
  /** Ranks the documents. Throws ProviderError. */
  rerank(request: RerankRequest, context: LiveCallContext): Promise<RerankAnswer>;
}
