/** Estimates the tokens and search units of a rerank request. */
import type { Modality } from '../../../domain/modality.ts';
import type { RerankDocument } from '../../../providers/rerank-adapter.ts';
import { estimatedTokensOf } from '../token-estimate.ts';

/**
 * Facts about a ranking that are known before the request is sent, for reservations and for upstreams that do not
 * count.
 */
export interface RerankFacts {
  estimatedTokens: number;
  estimatedUnits: number;
  images: number;
  modalities: Modality[];
}

/** The tokens that vendors charge for a picture of usual size. */
const TOKENS_PER_IMAGE = 1_000;
/**
 * Documents per search unit by Cohere's rule, which others use too. A search is a query with up to 100 documents. A
 * document with more than 500 tokens, query included, counts once for each 500 (cohere.com/pricing, read 2026-11-21).
 */
const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_DOCUMENT = 500;

/**
 * Estimates a ranking. The upstream reads the query once with each document. `tokensBeside` are the tokens of other
 * fields, such as instructions, which it may read with each document too. `tokensOf` counts the tokens of a text.
 */
export function readRerank(
  query: string,
  documents: readonly (string | RerankDocument)[],
  tokensBeside = 0,
  tokensOf: (text: string) => number = estimatedTokensOf,
): RerankFacts {
  const queryTokens = tokensOf(query) + tokensBeside;
  const facts: RerankFacts = { estimatedTokens: 0, estimatedUnits: 0, images: 0, modalities: ['text'] };
  let parts = 0;
  for (const document of documents) {
    const { text, image } = typeof document === 'string' ? { text: document } : document;
    let tokens = queryTokens + tokensOf(text ?? '');
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
