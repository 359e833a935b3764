/** Plays the vendors of embeddings and rankings: Cohere, Jina and Voyage, each in its own fields and no others. */
import { z } from 'zod';
import { sendJson, startVendorServer, type VendorServer } from './vendor-server.ts';

export const VECTORS_KEY = 'vectors-key';

const model = z.string();
const texts = z.array(z.string()).min(1);
const embeddings = z.strictObject({ model, input: z.union([z.string(), texts]) });
const rerank = z.strictObject({ model, query: z.string(), documents: texts });
const jinaRerank = rerank.extend({ return_documents: z.boolean().optional() });
const cohereEmbed = z.strictObject({
  model,
  texts,
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  embedding_types: z.array(z.enum(['float', 'base64'])),
});

const usage = { prompt_tokens: 5, total_tokens: 5 };
const meta = (billed_units: object) => ({ api_version: { version: '2' }, billed_units });
const listOf = ({ input }: z.output<typeof embeddings>) => ({
  object: 'list',
  model: 'm',
  data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: [0.5, 0.25] })),
  usage,
});
const ranked = ({ documents }: z.output<typeof rerank>) =>
  documents.map((_, index) => ({ index, relevance_score: 1 / (index + 2) }));

/** The answers by path. They throw for a request that the vendor refuses. */
const WIRES: Record<string, (body: unknown) => object> = {
  '/cohere/v2/embed': (body) => ({
    id: 'e-1',
    embeddings: { float: cohereEmbed.parse(body).texts.map(() => [0.5, 0.25]) },
    response_type: 'embeddings_by_type',
    meta: meta({ input_tokens: 5 }),
  }),
  '/cohere/v2/rerank': (body) => ({
    id: 'r-1',
    results: ranked(rerank.parse(body)),
    meta: meta({ search_units: 1, input_tokens: 9 }),
  }),
  '/jina/v1/embeddings': (body) => listOf(embeddings.parse(body)),
  '/jina/v1/rerank': (body) => ({ model: 'm', results: ranked(jinaRerank.parse(body)), usage }),
  '/voyage/v1/embeddings': (body) => listOf(embeddings.parse(body)),
  '/voyage/v1/rerank': (body) => ({ object: 'list', data: ranked(rerank.parse(body)), model: 'm', usage }),
};

/** Starts the three vendors at the paths `/cohere/v2`, `/jina/v1` and `/voyage/v1`. */
export function startVectorsVendors(): Promise<VendorServer> {
  return startVendorServer(({ path, key, body }, response) => {
    if (key !== VECTORS_KEY) return sendJson(response, 401, { message: 'invalid api token' });
    try {
      sendJson(response, 200, WIRES[path]!(JSON.parse(body)));
    } catch {
      sendJson(response, 422, { message: `refused at ${path}: ${body}` });
    }
  });
}
