/** Sends rerank requests on Cohere's wire, and converts the answers. */
import { isFields } from '../../domain/fields.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import type { GivenReference } from '../fetch-references.ts';
import { inlinePictures } from '../inline-pictures.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { countsFromText } from '../counts.ts';
import type { CallContext } from '../call-context.ts';
import type { OutboundFetch } from '../reference-media.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import type { RerankAdapter, RerankAnswer, RerankDocument, RerankRequest } from '../rerank-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { countIn, objectIn, readMeta } from './cohere-answer.ts';

export interface RerankOptions {
  http: TextHttp;
  /** Fetches pictures from URLs; absent if the upstream takes no pictures. */
  pictures?: OutboundFetch;
  /** The names of two fields; absent: those of Cohere and Jina. */
  names?: { topN: string; results: string };
}

const NAMES = { topN: 'top_n', results: 'results' };

/**
 * Sends `POST /rerank` to Cohere and to servers that copied its API, Jina (jina.ai/reranker) and vLLM
 * (`vllm/entrypoints/pooling/scoring/protocol.py`). Written from cohere-typescript
 * (`src/api/resources/v2/client/requests/V2RerankRequest.ts` and `types/V2RerankResponse.ts`); all read 2026-11-21.
 * They differ as follows:
 * - Cohere takes texts only; Jina's documents may be `{ text?, image? }`, the picture as a base64 data URL.
 * - Cohere counts in `meta.billed_units`, the others in `usage.total_tokens`.
 * - Voyage has other names for two fields (docs.voyageai.com/reference/reranker-api, quoted by its TypeScript client,
 *   read 2026-11-28), and takes texts only.
 * - With `return_documents` some return the documents. The adapter ignores them: the caller gets its own documents.
 */
export function createRerankAdapter(options: RerankOptions): RerankAdapter {
  const { http, pictures, names = NAMES } = options;
  return {
    acceptsImages: pictures !== undefined,
    async rerank(request, context) {
      const { model, query, topN, options: more } = request;
      const documents = await toDocuments(request, pictures, context);
      const body = {
        ...more,
        model,
        query,
        documents,
        ...(topN === undefined ? {} : { [names.topN]: topN }),
      };
      const answer = await http.post('rerank', body, context);
      return readRanking(answer, answer[names.results], documents.length, noteOf(context));
    },
  };
}

/**
 * Converts documents for the wire. Texts stay texts, which every server takes. A document with a picture becomes an
 * object with the picture's data URL.
 */
function toDocuments(
  { documents }: RerankRequest,
  pictures: OutboundFetch | undefined,
  context: CallContext,
): unknown[] | Promise<unknown[]> {
  const images = documents.flatMap((document, at) => {
    const url = imageOf(document);
    return url === undefined ? [] : [{ url, field: `documents.${at}.image` }];
  });
  if (images.length === 0) return documents.map(textOf);
  if (pictures === undefined) {
    const path = `body.${images[0]?.field ?? 'documents'}`;
    throw brokenRule({ path, message: 'is not supported: the provider ranks text only' });
  }
  return withPictures(documents, images, pictures, context);
}

async function withPictures(
  documents: RerankRequest['documents'],
  images: GivenReference[],
  pictures: OutboundFetch,
  context: CallContext,
): Promise<unknown[]> {
  const urls = (await inlinePictures(images, pictures, context)).values();
  return documents.map((document) =>
    imageOf(document) === undefined
      ? textOf(document)
      : { ...(document as RerankDocument), image: urls.next().value },
  );
}

function imageOf(document: string | RerankDocument): string | undefined {
  return typeof document === 'string' ? undefined : (document.image ?? undefined);
}

function textOf(document: string | RerankDocument): string {
  return typeof document === 'string' ? document : (document.text ?? '');
}

/** Checks a ranking by hand and in place, as in chat-checks.ts, because there may be thousands of results. */
function readRanking(
  answer: Record<string, unknown>,
  results: unknown,
  documents: number,
  note: NoteRepair,
): RerankAnswer {
  const { id } = answer;
  if (!Array.isArray(results) || results.length === 0) throw malformedAnswer('no results');
  const seen = new Set<number>();
  const read = results.map((result: unknown) => {
    const { index, relevance_score: relevanceScore } = isFields(result) ? result : {};
    if (typeof relevanceScore !== 'number' || !Number.isFinite(relevanceScore)) {
      throw malformedAnswer('a result without a score');
    }
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents) {
      throw malformedAnswer('a result of no document');
    }
    if (seen.has(index)) throw malformedAnswer('two results of one document');
    seen.add(index);
    return { index, relevanceScore };
  });
  return { id: typeof id === 'string' ? id : undefined, results: read, usage: readUsage(answer, note) };
}

function readUsage(answer: Record<string, unknown>, note: NoteRepair): RerankAnswer['usage'] {
  const { searchUnits, inputTokens } = readMeta(answer, note);
  countsFromText(answer['usage'], note);
  const totalTokens = inputTokens ?? countIn(objectIn(answer, 'usage'), 'total_tokens');
  return { searchUnits, totalTokens };
}
