import type { EmbeddingList, EmbeddingsAdapter } from '../embeddings-adapter.ts';
import type { TextRequest } from '../chat-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { errorIn, isObject, malformedAnswer, objectOf } from '../answer-checks.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import { repairUsage } from './repair/usage.ts';
import { toEncoding } from './repair/vector.ts';

/**
 * Sends `POST /embeddings`. Written from OpenAI's published reference (openai-node, `src/resources/embeddings.ts`, read
 * 2026-11-21). Vectors are passed on unread if they have the wanted encoding. There is one for each input, in the order
 * of the inputs.
 */
export function createEmbeddingsAdapter(http: TextHttp, apiKey: string | undefined): EmbeddingsAdapter {
  return {
    async embed(request, context) {
      const answer = await http.post('embeddings', request, context);
      return readEmbeddings(answer, request, { secret: apiKey, note: noteOf(context) });
    },
  };
}

/** Counts the inputs; a text and a list of tokens are one each. */
function countInputs(input: unknown): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

interface Reading {
  secret: string | undefined;
  note: NoteRepair;
}

function readEmbeddings(value: unknown, request: TextRequest, { secret, note }: Reading): EmbeddingList {
  const inputs = countInputs(request['input']);
  const wanted = request['encoding_format'] === 'base64' ? 'base64' : 'float';
  const answer = objectOf(value);
  const error = errorIn(answer, secret);
  if (error !== undefined) throw error;
  const { data } = answer;
  if (!Array.isArray(data) || data.length !== inputs)
    throw malformedAnswer('another number of vectors than inputs');
  let isInOrder = true;
  for (const [position, entry] of data.entries()) {
    if (!isObject(entry)) throw malformedAnswer('an entry without an embedding');
    entry['embedding'] = toEncoding(entry['embedding'], wanted, note);
    const index = (entry['index'] ??= position);
    if (index !== position) isInOrder = false;
  }
  if (!isInOrder) answer['data'] = inOrder(data as Entry[]);
  repairUsage(answer, note);
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
