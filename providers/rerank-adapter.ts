import type { LiveCallContext } from './call-context.ts';

/** What is to be ranked: text, a picture, or both. */
export interface RerankDocument {
  text?: string | null | undefined;
  /** A data URL, or one that the outbound guard has let through. */
  image?: string | null | undefined;
}

export interface RerankRequest {
  /** The upstream's name of the model. */
  model: string;
  query: string;
  documents: (string | RerankDocument)[];
  topN?: number;
  /** The caller's `provider.options[<slug>]`: added, never in place of what the request says. */
  options?: Record<string, unknown>;
}

export interface RerankAnswer {
  id?: string;
  /** Each index names one of the request's documents, once. In the upstream's order. */
  results: { index: number; relevanceScore: number }[];
  usage: { searchUnits?: number; totalTokens?: number };
}

export interface RerankAdapter {
  /** Takes pictures; one that does not is never given any. */
  readonly sees: boolean;
  /** Throws ProviderError. */
  rerank(request: RerankRequest, context: LiveCallContext): Promise<RerankAnswer>;
}
