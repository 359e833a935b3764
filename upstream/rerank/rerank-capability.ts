/** Answers rerank requests to the local upstream. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { contextExceeded, tokenize } from '../chat/tokens.ts';
import { faultsIn } from '../control.ts';
import { parseRequest } from '../parse-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';
import { rankByWords } from './bm25.ts';

const MODEL = 'rerank-1';
const MAX_DOCUMENTS = 10_000;
/** The most tokens of the query and one document, as in the catalog. */
const CONTEXT_TOKENS = 8192;
const DOCUMENTS_PER_UNIT = 100;

const rerankRequest = z.looseObject({
  model: z.string(),
  query: z.string().min(1),
  documents: z
    .array(
      z.union([z.string(), z.looseObject({ text: z.string().optional(), image: z.string().optional() })]),
    )
    .min(1)
    .max(MAX_DOCUMENTS),
  top_n: z.int().min(1).nullish(),
});

/**
 * Serves Cohere's `POST /rerank`, with shared words instead of a model. Written from the vendor's published reference
 * (cohere-typescript, `src/api/resources/v2/client/requests/V2RerankRequest.ts`, read 2026-11-21). Documents may have a
 * picture, as in Jina's wire (jina.ai/reranker, read 2026-11-21), of which only the type counts. Usage has the fields
 * of both. An extra of this server: `faults` in a request affect only that request.
 */
export function createRerankCapability(): Capability {
  return {
    routes: [{ method: 'POST', path: '/v1/rerank', target: 'rerank', faults: faultsIn, handle: rerank }],
  };
}

async function rerank(exchange: Exchange): Promise<Reply> {
  const { values } = await exchange.fields();
  const { query, documents, top_n: topN } = parseRequest(rerankRequest, values, [MODEL]);
  const texts = documents.map(wordsOf);
  const tokens = countTokens(query, texts);
  const results = rankByWords(query, texts)
    .map((relevance, index) => ({ index, relevance_score: relevance }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score);
  return jsonReply(200, {
    id: randomUUID(),
    results: results.slice(0, topN ?? undefined),
    meta: {
      api_version: { version: '2' },
      billed_units: { search_units: Math.ceil(documents.length / DOCUMENTS_PER_UNIT) },
      tokens: { input_tokens: tokens, output_tokens: 0 },
    },
    usage: { total_tokens: tokens },
  });
}

/** Returns the text of a document. A picture adds the words of its type, such as `image` and `png`. */
function wordsOf(document: z.output<typeof rerankRequest>['documents'][number]): string {
  if (typeof document === 'string') return document;
  const { text = '', image = '' } = document;
  return `${text} ${/^data:([\w/+.-]+)/.exec(image)?.[1] ?? ''}`;
}

/** Counts tokens; the query counts once with each document. */
function countTokens(query: string, texts: readonly string[]): number {
  const queryTokens = tokenize(query).length;
  let sum = 0;
  for (const text of texts) {
    const read = queryTokens + tokenize(text).length;
    if (read > CONTEXT_TOKENS) throw contextExceeded(CONTEXT_TOKENS, read, 'documents');
    sum += read;
  }
  return sum;
}
