/** Adapts embeddings requests to the models of Amazon and Cohere on Bedrock. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, isFields } from '../../domain/fields.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { type EmbedInput, embedIssues, inputTypeOf, toEmbedInput } from '../cohere/embed-input.ts';
import { countsFromText, isCount } from '../counts.ts';
import type { EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { loadTogether } from '../load-together.ts';
import { listOfVectors } from '../openai-compatible/vector-list.ts';
import type { OutboundFetch } from '../reference-media.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { modelPath } from './model-path.ts';

/** The header with the tokens of a prompt, which Cohere's answers do not contain. */
const TOKENS_HEADER = 'x-amzn-bedrock-input-token-count';

/**
 * Sends `POST /model/{model}/invoke` with the model's own body: that of Titan, which takes one text, once for each
 * text, and that of Cohere once. Vectors arrive as numbers (docs.aws.amazon.com/bedrock/latest/userguide,
 * model-parameters-titan-embed-text and model-parameters-embed, as `@ai-sdk/amazon-bedrock` 5.0.101 and LiteLLM 1.110.2
 * quote them, read 2026-11-28). Other fields of the request are passed on unchanged.
 */
export function createEmbedAdapter(http: TextHttp, outbound: OutboundFetch): EmbeddingsAdapter {
  return {
    issuesOf: embedIssues,
    async embed(request, context) {
      const { model, input, dimensions, encoding_format: _, input_type: type, ...more } = request;
      const given = await toEmbedInput(input, outbound, context);
      const bodies = model.includes('cohere.')
        ? [cohereBody(given, { type, dimensions, more })]
        : textsIn(given).map((text) => ({
            ...more,
            inputText: text,
            ...(dimensions != null && { dimensions }),
          }));
      const ask = async (body: object, signal: AbortSignal) => {
        let header: unknown;
        const begin = (headers: IncomingHttpHeaders) => (header = headers[TOKENS_HEADER]);
        const path = modelPath(model, 'invoke');
        const answer = await http.post(path, body, { ...context, signal }, { begin });
        return readAnswer(answer, header, noteOf(context));
      };
      const read = await loadTogether(bodies, ask, context.signal);
      const vectors = read.flatMap((answer) => answer.vectors);
      const tokens = read.reduce((sum, answer) => sum + (answer.tokens ?? NaN), 0);
      return {
        // Bedrock has no base64, so that its encoding is no repair.
        ...listOfVectors(vectors, given.count, request, () => {}),
        usage: isCount(tokens)
          ? { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens }
          : undefined,
      };
    },
  };
}

function cohereBody(
  { fields }: EmbedInput,
  { type, dimensions, more }: { type: unknown; dimensions: unknown; more: object },
): object {
  return {
    ...more,
    ...fields,
    input_type: inputTypeOf(type),
    embedding_types: ['float'],
    ...(dimensions == null ? {} : { output_dimension: dimensions }),
  };
}

/** Returns the texts of an input. Titan's models of text take no pictures. */
function textsIn({ fields }: EmbedInput): string[] {
  if ('texts' in fields) return fields.texts;
  return fields.inputs.map(({ content }, i) => {
    const picture = content.findIndex(({ type }) => type !== 'text');
    const path = `body.input.${i}.content.${picture}`;
    if (picture !== -1) throw brokenRule({ path, message: 'must be text for the provider of this model' });
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  });
}

/** Reads the vectors of Titan (`embedding`) or Cohere (`embeddings.float`), and the counted tokens. */
function readAnswer(
  answer: Fields,
  header: unknown,
  note: NoteRepair,
): { vectors: unknown[]; tokens: number | undefined } {
  countsFromText(answer, note);
  const { embedding, embeddings, inputTextTokenCount: counted } = answer;
  const listed = isFields(embeddings) ? embeddings['float'] : embeddings;
  const vectors = embedding === undefined ? listed : [embedding];
  if (!Array.isArray(vectors)) throw malformedAnswer('no vectors');
  const tokens = counted ?? (header === undefined ? undefined : Number(header));
  return { vectors: vectors as unknown[], tokens: isCount(tokens) ? tokens : undefined };
}
