import { type Fields, isFields } from '../../domain/fields.ts';
import type { EmbeddingList, EmbeddingsAdapter } from '../embeddings-adapter.ts';
import type { TextRequest } from '../chat-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import { repairUsage } from './repair/usage.ts';
import { toEncoding } from './repair/vector.ts';
import { wantedVector } from './vector-list.ts';

/**
 * Sends `POST /embeddings`. Written from OpenAI's published reference (openai-node, `src/resources/embeddings.ts`, read
 * 2026-11-21). Vectors are only checked if they have the wanted encoding. There is one for each input, in the order
 * of the inputs. `toVendor` returns the request as a vendor with other names of fields understands it.
 */
export function createEmbeddingsAdapter(
  http: TextHttp,
  toVendor: (request: TextRequest) => TextRequest = (request) => request,
): EmbeddingsAdapter {
  return {
    async embed(request, context) {
      const answer = await http.post('embeddings', toVendor(withRegisteredMedia(request)), context);
      return readEmbeddings(answer, request, noteOf(context));
    },
  };
}

/** Counts the inputs; a text and a list of tokens are one each. */
function countInputs(input: unknown): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

function readEmbeddings(answer: Fields, request: TextRequest, note: NoteRepair): EmbeddingList {
  const inputs = countInputs(request['input']);
  const wanted = wantedVector(request);
  const { data } = answer;
  if (!Array.isArray(data) || data.length !== inputs)
    throw malformedAnswer('another number of vectors than inputs');
  for (const entry of data) {
    if (!isFields(entry)) throw malformedAnswer('an entry without an embedding');
    entry['embedding'] = toEncoding(entry['embedding'], wanted, note);
  }
  if (!data.every((entry: Entry, position) => entry.index === position)) {
    answer['data'] = inOrder(data as Entry[]);
    note('embedding');
  }
  countPrompt(answer['usage']);
  repairUsage(answer, note);
  return answer as EmbeddingList;
}

/** Takes the total of tokens for those of the prompt, which Voyage does not state. There are no others. */
function countPrompt(usage: unknown): void {
  if (isFields(usage)) usage['prompt_tokens'] ??= usage['total_tokens'];
}

type Entry = EmbeddingList['data'][number];

/**
 * Sorts the vectors by `index`, which must name each input once. Indexes that are no numbers, or all 0, say nothing:
 * those vectors have the order of the inputs.
 */
function inOrder(data: Entry[]): Entry[] {
  const indexes = data.map(({ index }) => indexOf(index));
  if (indexes.every((index) => !index)) return data.map((entry, index) => ({ ...entry, index }));
  return data.map((_, index) => {
    const entry = data[indexes.indexOf(index)];
    if (entry === undefined) throw malformedAnswer('an input without a vector');
    return { ...entry, index };
  });
}

function indexOf(index: unknown): number | undefined {
  const isNumber = typeof index === 'number' || (typeof index === 'string' && /^\d{1,9}$/.test(index));
  return isNumber ? Number(index) : undefined;
}
