/** Adapts embeddings requests to Cohere's API. */
import type { CallContext } from '../call-context.ts';
import type { OpenAiUsage, TextRequest } from '../chat-adapter.ts';
import type { EmbeddingList, EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { TextHttp } from '../text-http.ts';
import { objectIn, readMeta } from './cohere-answer.ts';
import { embedIssues, inputTypeOf, toEmbedInput } from './embed-input.ts';

/**
 * Sends `POST /embed` of version 2 and answers in OpenAI's format. Written from cohere-typescript
 * (`src/api/resources/v2/client/requests/V2EmbedRequest.ts` and `src/api/types/EmbedByTypeResponse.ts`, read
 * 2026-11-21). `dimensions` is called `output_dimension`, `encoding_format` is one of `embedding_types`. Fields that
 * only Cohere knows (`truncate`, `max_tokens`, `priority`) are passed on unchanged.
 */
export function createEmbedAdapter(http: TextHttp, outbound: OutboundFetch): EmbeddingsAdapter {
  return {
    issuesOf: embedIssues,
    async embed(request, context) {
      const { body, inputs, format } = await toEmbed(request, outbound, context);
      const answer = await http.post('embed', body, context);
      return readEmbed(answer, request.model, { inputs, format, note: noteOf(context) });
    },
  };
}

type Format = 'float' | 'base64';

async function toEmbed(
  request: TextRequest,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<{ body: object; inputs: number; format: Format }> {
  const { input, dimensions, encoding_format: encoding, input_type: type, ...rest } = request;
  const format = encoding === 'base64' ? 'base64' : 'float';
  const embedInput = await toEmbedInput(input, outbound, context);
  const body = {
    ...rest,
    ...embedInput.fields,
    input_type: inputTypeOf(type),
    embedding_types: [format],
    ...(dimensions === undefined || dimensions === null ? {} : { output_dimension: dimensions }),
  };
  return { body, inputs: embedInput.count, format };
}

function readEmbed(
  answer: Record<string, unknown>,
  model: string,
  { inputs, format, note }: { inputs: number; format: Format; note: NoteRepair },
): EmbeddingList {
  const vectors = objectIn(answer, 'embeddings')[format];
  if (!Array.isArray(vectors) || vectors.length !== inputs) {
    throw malformedAnswer('another number of vectors than inputs');
  }
  const data = vectors.map((embedding: unknown, index) => {
    const isVector = format === 'base64' ? typeof embedding === 'string' : Array.isArray(embedding);
    if (!isVector) throw malformedAnswer('a vector in another format');
    return { object: 'embedding', index, embedding: embedding as string | number[] };
  });
  const usage = readUsage(answer, note);
  return { object: 'list', model, data, usage };
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
