import type { EmbeddingList, EmbeddingsAdapter } from '../provider.ts';
import type { TextHttp } from '../text-http.ts';
import { checkUsage, errorIn, isObject, misshapen, objectOf } from './chat-checks.ts';

/**
 * `POST /embeddings`, written from OpenAI's published reference (openai-node, `src/resources/embeddings.ts`, read
 * 2026-11-21). The vectors themselves are handed on unread.
 */
export function createEmbeddingsAdapter(http: TextHttp, apiKey: string | undefined): EmbeddingsAdapter {
  return {
    async embed(request, context) {
      return readEmbeddings(await http.post('embeddings', request, context), apiKey);
    },
  };
}

function readEmbeddings(value: unknown, secret: string | undefined): EmbeddingList {
  const answer = objectOf(value);
  const error = errorIn(answer, secret);
  if (error !== undefined) throw error;
  const { data } = answer;
  if (!Array.isArray(data) || data.length === 0) throw misshapen('no embeddings');
  for (const entry of data) {
    const vector = isObject(entry) ? entry['embedding'] : undefined;
    if (!Array.isArray(vector) && typeof vector !== 'string')
      throw misshapen('an entry without an embedding');
  }
  checkUsage(answer);
  return answer as EmbeddingList;
}
