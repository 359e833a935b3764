/** Sends embeddings requests to Google: to the Gemini API in one batch, to Vertex AI once for each text. */
import { type Fields, fieldsIn, fieldsOf, withoutUndefined } from '../../domain/fields.ts';
import { hasContent } from '../../domain/unsupported-fields.ts';
import { countsFromText } from '../counts.ts';
import type { EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { toInputType } from '../input-types.ts';
import { loadTogether } from '../load-together.ts';
import { joinedVectors } from '../openai-compatible/vector-list.ts';
import { noteOf } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { pathOf } from './generate-content.ts';

/** Gemini's tasks for what callers say of their texts. */
const TASKS = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/** The most texts of one request. */
const MAX_TEXTS = 100;

/** Sends texts to a model, and finds the vectors and the counts of tokens in its answer. */
interface Method {
  name: string;
  toBody(texts: string[], options: Options, model: string): object;
  read(answer: Fields): { vectors: unknown[]; counts: Fields };
}

interface Options {
  taskType?: string;
  outputDimensionality?: number;
}

/** All texts at once (ai.google.dev/api/embeddings, quoted by Vercel's client, read 2026-11-28). */
const BATCH: Method = {
  name: 'batchEmbedContents',
  toBody(texts, options, model) {
    const common = { model: `models/${model}`, ...options };
    return { requests: texts.map((text) => ({ ...common, content: { parts: [{ text }] } })) };
  },
  read: ({ embeddings, usageMetadata }) => ({
    vectors: fieldsIn(embeddings).map(({ values }) => values),
    counts: fieldsOf(usageMetadata),
  }),
};

/**
 * Gemini Embedding 2 and later on Vertex AI (docs.cloud.google.com, "Get text embeddings", read 2026-11-28). Google's
 * reference (EmbedContentRequest in `google.cloud.aiplatform`) deprecates the same options beside `content`.
 */
const EMBED_CONTENT: Method = {
  name: 'embedContent',
  toBody: ([text], options) => ({
    content: { parts: [{ text }] },
    ...(hasContent(options) && { embedContentConfig: options }),
  }),
  read: ({ embedding, usageMetadata }) => ({
    vectors: [fieldsOf(embedding)['values']],
    counts: fieldsOf(usageMetadata),
  }),
};

/** The earlier models on Vertex AI. Gemini Embedding 001 takes one instance only. */
const PREDICT: Method = {
  name: 'predict',
  toBody: ([text], { taskType, outputDimensionality }) => ({
    instances: [{ content: text, task_type: taskType }],
    parameters: { outputDimensionality },
  }),
  read({ predictions }) {
    const [{ embeddings } = {}] = fieldsIn(predictions);
    const { values, statistics } = fieldsOf(embeddings);
    return { vectors: [values], counts: fieldsOf(statistics) };
  },
};

export function createGoogleEmbeddings(http: TextHttp): EmbeddingsAdapter {
  return embeddingsBy(http, () => BATCH);
}

export function createVertexEmbeddings(http: TextHttp): EmbeddingsAdapter {
  return embeddingsBy(http, (model) => (/^gemini-embedding-[2-9]/.test(model) ? EMBED_CONTENT : PREDICT));
}

/** Creates an adapter for texts only: lists of tokens are OpenAI's own. */
function embeddingsBy(http: TextHttp, methodOf: (model: string) => Method): EmbeddingsAdapter {
  return {
    issuesOf(input) {
      const texts = textsOf(input);
      if (texts !== undefined && texts.length <= MAX_TEXTS) return [];
      const rule = texts === undefined ? 'be a text or a list of texts' : `have at most ${MAX_TEXTS} texts`;
      return [{ path: 'body.input', message: `must ${rule} for the provider of this model` }];
    },
    async embed(request, context) {
      const { model, input, input_type: type, dimensions } = request;
      const outputDimensionality = typeof dimensions === 'number' ? dimensions : undefined;
      const options = withoutUndefined({ taskType: toInputType(type, TASKS), outputDimensionality });
      const method = methodOf(model);
      const texts = textsOf(input) ?? [];
      const note = noteOf(context);
      const ask = async (given: string[], signal: AbortSignal) => {
        const body = method.toBody(given, options, model);
        const answer = await http.post(pathOf(model, method.name), body, { ...context, signal });
        const { vectors, counts } = method.read(answer);
        countsFromText(counts, note);
        return { vectors, tokens: counts['promptTokenCount'] ?? counts['token_count'] };
      };
      const groups = method === BATCH ? [texts] : texts.map((text) => [text]);
      return joinedVectors(await loadTogether(groups, ask, context.signal), texts.length, request, note);
    },
  };
}

function textsOf(input: unknown): string[] | undefined {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts : undefined;
}
