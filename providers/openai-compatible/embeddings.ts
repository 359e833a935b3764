import type { EmbeddingList, EmbeddingsAdapter } from '../embeddings-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { errorIn, isObject, malformedAnswer, objectOf } from '../answer-checks.ts';
import { checkUsage } from './chat-checks.ts';

/**
 * Sends `POST /embeddings`. Written from OpenAI's published reference (openai-node, `src/resources/embeddings.ts`, read
 * 2026-11-21). Vectors are passed on unread, one per input, in the order of the inputs.
 */
export function createEmbeddingsAdapter(http: TextHttp, apiKey: string | undefined): EmbeddingsAdapter {
  return {
    async embed(request, context) {
      return readEmbeddings(
        await http.post('embeddings', request, context),
        countInputs(request['input']),
        apiKey,
      );
    },
  };
}

/** Counts the inputs; a text and a list of tokens are one each. */
function countInputs(input: unknown): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

function readEmbeddings(value: unknown, inputs: number, secret: string | undefined): EmbeddingList {
  const answer = objectOf(value);
  const error = errorIn(answer, secret);
  if (error !== undefined) throw error;
  const { data } = answer;
  if (!Array.isArray(data) || data.length !== inputs)
    throw malformedAnswer('another number of vectors than inputs');
  let isInOrder = true;
  for (const [position, entry] of data.entries()) {
    const vector = isObject(entry) ? entry['embedding'] : undefined;
    if (!Array.isArray(vector) && typeof vector !== 'string')
      throw malformedAnswer('an entry without an embedding');
    const index = (entry.index ??= position);
    if (index !== position) isInOrder = false;
  }
  if (!isInOrder) answer['data'] = inOrder(data as Entry[]);
  checkUsage(answer);
  return answer as EmbeddingList;
}

type Entry = EmbeddingList['data'][number];

/** Sorts the vectors by `index`, which must name each input once. */
function inOrder(data: readonly Entry[]): Entry[] {
  const byIndex = new Map(data.map((entry) => [entry.index, entry]));
  return data.map((_, position) => {
    const entry = byIndex.get(position);
    if (entry === undefined) throw malformedAnswer('an input without a vector');
    return entry;
  });
}
