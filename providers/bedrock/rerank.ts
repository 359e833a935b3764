/** Adapts rerank requests to the models of Amazon and Cohere on Bedrock. */
import { createRerankAdapter } from '../cohere/rerank.ts';
import type { RerankAdapter, RerankRequest } from '../rerank-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { modelPath } from './model-path.ts';

/** The documents of one billed query, and the longest document that counts as one: about 500 tokens. */
const DOCUMENTS_OF_QUERY = 100;
const CHARACTERS_OF_DOCUMENT = 2_000;

/**
 * Sends `POST /model/{model}/invoke` with the body of Cohere's rerank, which Amazon's model takes as well. Bedrock does
 * not tell what it bills, so queries are counted by the rule of its price list: one for each 100 documents, a long one
 * counting several times (aws.amazon.com/bedrock/pricing, as LiteLLM 1.110.2 quotes it, read 2026-11-28).
 */
export function createBedrockRerank(http: TextHttp): RerankAdapter {
  const ranking = createRerankAdapter({
    http: {
      ...http,
      post(_path, body, context, reader) {
        const { model, ...fields } = body as { model: string };
        const version = model.includes('cohere.') ? { api_version: 2 } : {};
        return http.post(modelPath(model, 'invoke'), { ...fields, ...version }, context, reader);
      },
    },
  });
  return {
    ...ranking,
    async rerank(request, context) {
      const answer = await ranking.rerank(request, context);
      return { ...answer, usage: { searchUnits: queriesIn(request) } };
    },
  };
}

function queriesIn({ documents }: RerankRequest): number {
  const parts = documents.map((document) => {
    const text = typeof document === 'string' ? document : (document.text ?? '');
    return Math.max(1, Math.ceil(text.length / CHARACTERS_OF_DOCUMENT));
  });
  return Math.ceil(parts.reduce((sum, count) => sum + count, 0) / DOCUMENTS_OF_QUERY);
}
