/** Puts vectors into a list of OpenAI's form. */
import { malformedAnswer } from '../answer-checks.ts';
import type { TextRequest } from '../chat-adapter.ts';
import { isCount } from '../counts.ts';
import type { EmbeddingList } from '../embeddings-adapter.ts';
import type { NoteRepair } from '../repairs.ts';
import { toEncoding, type WantedVector } from './repair/vector.ts';

/** Returns the list, without usage. Throws ProviderError unless each of the inputs has a vector as it was asked for. */
export function listOfVectors(
  vectors: readonly unknown[],
  inputs: number,
  request: TextRequest,
  note: NoteRepair,
): EmbeddingList {
  if (vectors.length !== inputs) throw malformedAnswer('another number of vectors than inputs');
  const wanted = wantedVector(request);
  const data = vectors.map((vector, index) => {
    return { object: 'embedding', index, embedding: toEncoding(vector, wanted, note) };
  });
  return { object: 'list', model: request.model, data };
}

/**
 * Returns the list with the vectors of several answers, and the sum of the tokens if each answer has a valid count.
 * Otherwise the gateway estimates them.
 */
export function joinedVectors(
  answers: readonly { vectors: readonly unknown[]; tokens: unknown }[],
  inputs: number,
  request: TextRequest,
  note: NoteRepair,
): EmbeddingList {
  const vectors = answers.flatMap((answer) => answer.vectors);
  const tokens = answers.reduce((sum, answer) => sum + (isCount(answer.tokens) ? answer.tokens : NaN), 0);
  const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  return { ...listOfVectors(vectors, inputs, request, note), ...(isCount(tokens) && { usage }) };
}

/** Returns the vector that a request asks for. */
export function wantedVector({ encoding_format: encoding, dimensions }: TextRequest): WantedVector {
  return {
    encoding: encoding === 'base64' ? 'base64' : 'float',
    dimensions: typeof dimensions === 'number' ? dimensions : undefined,
  };
}
