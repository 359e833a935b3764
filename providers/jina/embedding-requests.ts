/** Converts embeddings requests of OpenAI's form to those of Jina and of Voyage. */
import type { TextRequest } from '../chat-adapter.ts';

/** The tasks of Jina for what callers say of their texts. */
const JINA_TASKS: Record<string, string> = {
  query: 'retrieval.query',
  search_query: 'retrieval.query',
  document: 'retrieval.passage',
  passage: 'retrieval.passage',
  search_document: 'retrieval.passage',
};

/**
 * Returns the request as Jina takes it (jina.ai/embeddings, quoted by LiteLLM's client, read 2026-11-28): `task` in
 * place of `input_type`, and `embedding_type` in place of `encoding_format`. Another `input_type` is passed on as the
 * task.
 */
export function toJina(request: TextRequest): TextRequest {
  const { input_type: type, encoding_format: encoding, user: _, ...rest } = request;
  return {
    ...rest,
    ...(typeof type === 'string' ? { task: JINA_TASKS[type] ?? type } : {}),
    ...(encoding === 'base64' ? { embedding_type: 'base64' } : {}),
  };
}

/**
 * Returns the request as Voyage takes it (docs.voyageai.com/reference/embeddings-api, quoted by its TypeScript client,
 * read 2026-11-28): `output_dimension` in place of `dimensions`, and no `encoding_format` but `base64`.
 */
export function toVoyage(request: TextRequest): TextRequest {
  const { input_type: type, encoding_format: encoding, dimensions, user: _, ...rest } = request;
  return {
    ...rest,
    ...(typeof type === 'string' ? { input_type: VOYAGE_TYPES[type] ?? type } : {}),
    ...(dimensions === undefined || dimensions === null ? {} : { output_dimension: dimensions }),
    ...(encoding === 'base64' ? { encoding_format: 'base64' } : {}),
  };
}

const VOYAGE_TYPES: Record<string, string> = {
  search_query: 'query',
  passage: 'document',
  search_document: 'document',
};
