/** Converts embeddings requests of OpenAI's form to those of Jina and of Voyage. */
import { withoutUndefined } from '../../domain/fields.ts';
import type { TextRequest } from '../chat-adapter.ts';
import { toInputType } from '../input-types.ts';

/** The tasks of Jina for what callers say of their texts. */
const JINA_TASKS = { query: 'retrieval.query', document: 'retrieval.passage' };
const VOYAGE_TYPES = { query: 'query', document: 'document' };

/**
 * Returns the request as Jina takes it (jina.ai/embeddings, quoted by LiteLLM's client, read 2026-11-28): `task` in
 * place of `input_type`, and `embedding_type` in place of `encoding_format`. Another `input_type` is passed on as the
 * task.
 */
export function toJina(request: TextRequest): TextRequest {
  const { input_type: type, encoding_format: encoding, user: _, ...rest } = request;
  const embedding_type = encoding === 'base64' ? encoding : undefined;
  return { ...rest, ...withoutUndefined({ task: toInputType(type, JINA_TASKS), embedding_type }) };
}

/**
 * Returns the request as Voyage takes it (docs.voyageai.com/reference/embeddings-api, quoted by its TypeScript client,
 * read 2026-11-28): `output_dimension` in place of `dimensions`, and no `encoding_format` but `base64`.
 */
export function toVoyage(request: TextRequest): TextRequest {
  const { input_type: type, encoding_format: encoding, dimensions, user: _, ...rest } = request;
  const named = {
    input_type: toInputType(type, VOYAGE_TYPES),
    output_dimension: dimensions ?? undefined,
    encoding_format: encoding === 'base64' ? encoding : undefined,
  };
  return { ...rest, ...withoutUndefined(named) };
}
