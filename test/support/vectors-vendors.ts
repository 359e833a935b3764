/** Plays the vendors of embeddings and rankings: Cohere, Jina and Voyage, each in its own fields and no others. */
import { z } from 'zod';
import { sendJson, startVendorServer, type VendorServer } from './vendor-server.ts';

export const VECTORS_KEY = 'vectors-key';

const texts = z.array(z.string()).min(1);
const model = z.string();
const ranked = (documents: string[]) =>
  documents.map((_, index) => ({ index, relevance_score: 1 / (index + 2) }));
const listOf = (input: string | string[]) => ({
  object: 'list',
  model: 'm',
  data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: [0.5, 0.25] })),
  usage: { prompt_tokens: 5, total_tokens: 5 },
});

/** The answer to a request of this form; undefined if the vendor refuses it. */
type Answer = (body: unknown) => object | undefined;

function accepts<T>(schema: z.ZodType<T>, answer: (request: T) => object): Answer {
  return (body) => {
    const { data } = schema.safeParse(body);
    return data && answer(data);
  };
}

const WIRES: Record<string, Answer> = {
  '/cohere/v2/embed': accepts(
    z.strictObject({
      model,
      texts,
      input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
      embedding_types: z.array(z.enum(['float', 'base64'])),
    }),
    (request) => ({
      id: 'e-1',
      embeddings: { float: request.texts.map(() => [0.5, 0.25]) },
      response_type: 'embeddings_by_type',
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 5 } },
    }),
  ),
  '/cohere/v2/rerank': accepts(z.strictObject({ model, query: z.string(), documents: texts }), (request) => ({
    id: 'r-1',
    results: ranked(request.documents),
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1, input_tokens: 9 } },
  })),
  '/jina/v1/embeddings': accepts(z.strictObject({ model, input: z.union([z.string(), texts]) }), (request) =>
    listOf(request.input),
  ),
  '/jina/v1/rerank': accepts(
    z.strictObject({ model, query: z.string(), documents: texts, return_documents: z.boolean().optional() }),
    (request) => ({ model, results: ranked(request.documents), usage: { total_tokens: 9 } }),
  ),
  '/voyage/v1/embeddings': accepts(
    z.strictObject({ model, input: z.union([z.string(), texts]) }),
    (request) => listOf(request.input),
  ),
  '/voyage/v1/rerank': accepts(z.strictObject({ model, query: z.string(), documents: texts }), (request) => ({
    object: 'list',
    data: ranked(request.documents),
    model: request.model,
    usage: { total_tokens: 9 },
  })),
};

/** Starts the three vendors at the paths `/cohere/v2`, `/jina/v1` and `/voyage/v1`. */
export function startVectorsVendors(): Promise<VendorServer> {
  return startVendorServer(({ path, key, body }, response) => {
    if (key !== VECTORS_KEY) return sendJson(response, 401, { message: 'invalid api token' });
    const answer = WIRES[path]?.(JSON.parse(body));
    if (answer === undefined) return sendJson(response, 422, { message: `refused at ${path}: ${body}` });
    sendJson(response, 200, answer);
  });
}
