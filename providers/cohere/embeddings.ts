/** Adapts embeddings requests to Cohere's API. */
import type { OpenAiUsage } from '../chat-adapter.ts';
import type { EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { listOfVectors } from '../openai-compatible/vector-list.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { TextHttp } from '../text-http.ts';
import { objectIn, readMeta } from './cohere-answer.ts';
import { embedIssues, toEmbedBody, toEmbedInput } from './embed-input.ts';

/**
 * Sends `POST /embed` of version 2 and answers in OpenAI's format. Written from cohere-typescript
 * (`src/api/resources/v2/client/requests/V2EmbedRequest.ts` and `src/api/types/EmbedByTypeResponse.ts`, read
 * 2026-11-21). Fields that only Cohere knows (`truncate`, `max_tokens`, `priority`) are passed on unchanged.
 */
export function createEmbedAdapter(http: TextHttp, outbound: OutboundFetch): EmbeddingsAdapter {
  return {
    issuesOf: embedIssues,
    async embed(request, context) {
      const input = await toEmbedInput(request['input'], outbound, context);
      const format = request['encoding_format'] === 'base64' ? 'base64' : 'float';
      const body = toEmbedBody(request, input, format);
      const answer = await http.post('embed', body, context);
      const vectors = objectIn(answer, 'embeddings')[format];
      if (!Array.isArray(vectors)) throw malformedAnswer('no vectors');
      const note = noteOf(context);
      return { ...listOfVectors(vectors, input.count, request, note), usage: readUsage(answer, note) };
    },
  };
}

function readUsage(answer: Record<string, unknown>, note: NoteRepair): OpenAiUsage | undefined {
  const { inputTokens, imageTokens } = readMeta(answer, note);
  if (inputTokens === undefined) return undefined;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: 0,
    total_tokens: inputTokens,
    prompt_tokens_details: imageTokens === undefined ? undefined : { image_tokens: imageTokens },
  };
}
