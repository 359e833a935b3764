/** Sends embeddings requests to Gemini. */
import { fieldsIn, textOf } from '../../domain/fields.ts';
import { answerOf, malformedAnswer } from '../answer-checks.ts';
import type { TextRequest } from '../chat-adapter.ts';
import type { EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { toEncoding } from '../openai-compatible/repair/vector.ts';
import { noteOf } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { pathOf } from './path-of.ts';
import { usageToChat } from './usage.ts';

/** Gemini's tasks for what callers say of their texts. */
const TASKS: Record<string, string> = {
  query: 'RETRIEVAL_QUERY',
  search_query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  passage: 'RETRIEVAL_DOCUMENT',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/** The most requests of one batch. */
const MAX_TEXTS = 100;

/**
 * Creates the adapter for `batchEmbedContents` (ai.google.dev/api/embeddings, quoted by Vercel's client, read
 * 2026-11-28). Texts only: lists of tokens are OpenAI's own.
 */
export function createGoogleEmbeddings(http: TextHttp, secret: string | undefined): EmbeddingsAdapter {
  return {
    issuesOf(input) {
      const texts = textsOf(input);
      if (texts !== undefined && texts.length <= MAX_TEXTS) return [];
      const message =
        texts === undefined
          ? 'must be a text or a list of texts for the provider of this model'
          : `must have at most ${MAX_TEXTS} texts for the provider of this model`;
      return [{ path: 'body.input', message }];
    },
    async embed(request, context) {
      const texts = textsOf(request['input']) ?? [];
      const { dimensions, encoding_format: encoding } = request;
      const path = pathOf(request.model, 'batchEmbedContents');
      const answer = answerOf(await http.post(path, toBatch(request, texts), context), secret);
      const vectors = fieldsIn(answer['embeddings']);
      if (vectors.length !== texts.length) throw malformedAnswer('another number of vectors than inputs');
      const wanted = {
        encoding: encoding === 'base64' ? ('base64' as const) : ('float' as const),
        dimensions: typeof dimensions === 'number' ? dimensions : undefined,
      };
      const usage = fieldsIn([answer['usageMetadata']])[0];
      return {
        object: 'list',
        model: request.model,
        data: vectors.map(({ values }, index) => ({
          object: 'embedding',
          index,
          embedding: toEncoding(values, wanted, noteOf(context)),
        })),
        ...(usage && { usage: usageToChat(usage, noteOf(context)) ?? null }),
      };
    },
  };
}

function textsOf(input: unknown): string[] | undefined {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts : undefined;
}

function toBatch({ model, input_type: type, dimensions }: TextRequest, texts: string[]): object {
  return {
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(typeof type === 'string' && { taskType: TASKS[type] ?? textOf(type) }),
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    })),
  };
}
