/** Sends embeddings requests to Gemini. */
import { fieldsIn } from '../../domain/fields.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { OpenAiUsage, TextRequest } from '../chat-adapter.ts';
import type { EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { toInputType } from '../input-types.ts';
import { listOfVectors } from '../openai-compatible/vector-list.ts';
import { noteOf } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { pathOf } from './generate-content.ts';
import { usageToChat } from './usage.ts';

/** Gemini's tasks for what callers say of their texts. */
const TASKS = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/** The most texts of one request. */
const MAX_TEXTS = 100;

/** Asks Google for the vectors of some texts, with the counted tokens; null for a count that is none. */
type AskForVectors = (
  request: TextRequest,
  texts: string[],
  context: LiveCallContext,
) => Promise<{ vectors: unknown[]; usage: OpenAiUsage | null | undefined }>;

/**
 * Creates the adapter for `batchEmbedContents` (ai.google.dev/api/embeddings, quoted by Vercel's client, read
 * 2026-11-28).
 */
export function createGoogleEmbeddings(http: TextHttp): EmbeddingsAdapter {
  return embeddingsBy(async (request, texts, context) => {
    const path = pathOf(request.model, 'batchEmbedContents');
    const answer = await http.post(path, toBatch(request, texts), context);
    const usage = fieldsIn([answer['usageMetadata']])[0];
    return {
      vectors: fieldsIn(answer['embeddings']).map(({ values }) => values),
      usage: usage && (usageToChat(usage, noteOf(context)) ?? null),
    };
  });
}

/** Creates an adapter that asks for vectors in this way. Texts only: lists of tokens are OpenAI's own. */
export function embeddingsBy(ask: AskForVectors): EmbeddingsAdapter {
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
      const { vectors, usage } = await ask(request, texts, context);
      const list = listOfVectors(vectors, texts.length, request, noteOf(context));
      return { ...list, ...(usage !== undefined && { usage }) };
    },
  };
}

/** Returns Gemini's task for what the caller says of the texts; undefined if the caller says nothing. */
export function taskOf({ input_type: type }: TextRequest): string | undefined {
  return toInputType(type, TASKS);
}

function textsOf(input: unknown): string[] | undefined {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts : undefined;
}

function toBatch(request: TextRequest, texts: string[]): object {
  const { model, dimensions } = request;
  const taskType = taskOf(request);
  return {
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(taskType !== undefined && { taskType }),
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    })),
  };
}
