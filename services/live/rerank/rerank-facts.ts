import type { Modality } from '../../../domain/modality.ts';
import type { RerankDocument } from '../../../providers/rerank-adapter.ts';
import { textWeight, tokensOfWeight } from '../token-estimate.ts';

/** What can be said of a ranking before it is made: for reservations, and for upstreams that never tell. */
export interface RerankFacts {
  estimatedTokens: number;
  estimatedUnits: number;
  images: number;
  modalities: Modality[];
}

/** What vendors charge for a picture of usual size. */
const TOKENS_PER_IMAGE = 1_000;
/**
 * Cohere's count, which others took over: a search is a query with up to 100 documents, and of what is longer than 500
 * tokens, the query included, each 500 are a document (cohere.com/pricing, read 2026-11-21).
 */
const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_DOCUMENT = 500;

/** The query is read once with each document. */
export function readRerank(query: string, documents: readonly (string | RerankDocument)[]): RerankFacts {
  const queryTokens = tokensOfWeight(textWeight(query));
  const facts: RerankFacts = { estimatedTokens: 0, estimatedUnits: 0, images: 0, modalities: ['text'] };
  let parts = 0;
  for (const document of documents) {
    const { text, image } = typeof document === 'string' ? { text: document } : document;
    let tokens = queryTokens + tokensOfWeight(textWeight(text ?? ''));
    if (typeof image === 'string') {
      tokens += TOKENS_PER_IMAGE;
      facts.images += 1;
    }
    facts.estimatedTokens += tokens;
    parts += Math.max(1, Math.ceil(tokens / TOKENS_PER_DOCUMENT));
  }
  facts.estimatedUnits = Math.ceil(parts / DOCUMENTS_PER_UNIT);
  if (facts.images > 0) facts.modalities.push('image');
  return facts;
}
