/** Sends embeddings requests to models on Vertex AI, once for each text. */
import { type Fields, fieldsIn, fieldsOf } from '../../../domain/fields.ts';
import { malformedAnswer } from '../../answer-checks.ts';
import type { TextRequest } from '../../chat-adapter.ts';
import { countsFromText, isCount } from '../../counts.ts';
import { loadTogether } from '../../load-together.ts';
import { noteOf, type NoteRepair } from '../../repairs.ts';
import type { TextHttp } from '../../text-http.ts';
import type { EmbeddingsAdapter } from '../../embeddings-adapter.ts';
import { embeddingsBy, taskOf } from '../embeddings.ts';
import { pathOf } from '../generate-content.ts';

/** Sends one text to a model, and finds the vector and the count of tokens in its answer. */
interface Method {
  name: string;
  toBody(request: TextRequest, text: string): object;
  read(answer: Fields): { values: unknown; holder: Fields; count: string };
}

/**
 * Gemini Embedding 2 and later. Google's reference (EmbedContentRequest in `google.cloud.aiplatform`) deprecates the
 * same options beside `content`.
 */
const EMBED_CONTENT: Method = {
  name: 'embedContent',
  toBody(request, text) {
    const config = {
      taskType: taskOf(request),
      outputDimensionality: request['dimensions'] ?? undefined,
    };
    const isEmpty = Object.values(config).every((option) => option === undefined);
    return { content: { parts: [{ text }] }, ...(!isEmpty && { embedContentConfig: config }) };
  },
  read: ({ embedding, usageMetadata }) => ({
    values: fieldsOf(embedding)['values'],
    holder: fieldsOf(usageMetadata),
    count: 'promptTokenCount',
  }),
};

/** The earlier models. Gemini Embedding 001 takes one instance only. */
const PREDICT: Method = {
  name: 'predict',
  toBody: (request, text) => ({
    instances: [{ content: text, task_type: taskOf(request) }],
    parameters: { outputDimensionality: request['dimensions'] ?? undefined },
  }),
  read({ predictions }) {
    const [{ embeddings } = {}] = fieldsIn(predictions);
    const { values, statistics } = fieldsOf(embeddings);
    return { values, holder: fieldsOf(statistics), count: 'token_count' };
  },
};

/**
 * Creates the adapter for `embedContent` or `predict`. Written from docs.cloud.google.com ("Get text embeddings"
 * and the reference of EmbedContentRequest) and Vercel's client (snapshot of 2026-08-22), read on 2026-11-28.
 */
export function createVertexEmbeddings(http: TextHttp): EmbeddingsAdapter {
  return embeddingsBy(async (request, texts, context) => {
    const { model } = request;
    const { name, toBody, read } = /^gemini-embedding-[2-9]/.test(model) ? EMBED_CONTENT : PREDICT;
    const answers = await loadTogether(
      texts,
      (text, signal) => http.post(pathOf(model, name), toBody(request, text), { ...context, signal }),
      context.signal,
    );
    const found = answers.map(read);
    if (found.some(({ values }) => !Array.isArray(values))) throw malformedAnswer('no vector');
    return { vectors: found.map(({ values }) => values), usage: usageOf(found, noteOf(context)) };
  });
}

/** Adds up the tokens of all texts. Returns null if one of them has no count, so that the gateway estimates them. */
function usageOf(found: ReturnType<Method['read']>[], note: NoteRepair) {
  let tokens = 0;
  for (const { holder, count } of found) {
    countsFromText(holder, note);
    const { [count]: counted } = holder;
    if (!isCount(counted)) return null;
    tokens += counted;
  }
  return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
}
