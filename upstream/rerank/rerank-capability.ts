/** Answers rerank requests to the local upstream. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { contextExceeded, tokenize } from '../chat/tokens.ts';
import { faultsIn } from '../control.ts';
import { parseRequest } from '../parse-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';

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
  const texts = documents.map(textOf);
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
function textOf(document: z.output<typeof rerankRequest>['documents'][number]): string {
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

/**
 * The usual constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
 */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * Scores each document by the words that it shares with the query: 0 for none, below 1 for many and rare ones. The same
 * words always give the same score.
 */
export function rankByWords(query: string, documents: readonly string[]): number[] {
  const queryWords = [...new Set(wordsOf(query))];
  const counts = documents.map((document) => countWords(wordsOf(document)));
  const average = counts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counts.length);
  const weights = queryWords.map((word) =>
    rarity(counts.filter(({ of }) => of.has(word)).length, counts.length),
  );
  return counts.map(({ of, length }) => {
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, average));
    const score = queryWords.reduce((sum, word, i) => {
      const times = of.get(word) ?? 0;
      return times === 0 ? sum : sum + (weights[i]! * times * (SATURATION + 1)) / (times + norm);
    }, 0);
    // Maps the score, which has no upper limit, to a value below 1, as callers expect.
    return score / (score + 1);
  });
}

/** Returns the weight of a word: higher if few documents have it, and always positive. */
function rarity(documentsWithWord: number, documents: number): number {
  return Math.log(1 + (documents - documentsWithWord + 0.5) / (documentsWithWord + 0.5));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countWords(words: string[]): { of: Map<string, number>; length: number } {
  const of = new Map<string, number>();
  for (const word of words) of.set(word, (of.get(word) ?? 0) + 1);
  return { of, length: words.length };
}
