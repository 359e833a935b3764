/** Adapts embeddings requests to the models of Amazon and Cohere on Bedrock. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, isFields, withoutUndefined } from '../../domain/fields.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { type EmbedInput, embedIssues, toEmbedBody, toEmbedInput } from '../cohere/embed-input.ts';
import { countsFromText } from '../counts.ts';
import type { EmbeddingsAdapter } from '../embeddings-adapter.ts';
import { loadTogether } from '../load-together.ts';
import { joinedVectors } from '../openai-compatible/vector-list.ts';
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
      const { model, ...fields } = request;
      const input = await toEmbedInput(fields['input'], outbound, context);
      const isCohere = model.includes('cohere.');
      const bodies = isCohere ? [toEmbedBody(fields, input, 'float')] : titanBodies(fields, input);
      const ask = async (body: object, signal: AbortSignal) => {
        let received: IncomingHttpHeaders = {};
        const begin = (headers: IncomingHttpHeaders) => (received = headers);
        const path = modelPath(model, 'invoke');
        const answer = await http.post(path, body, { ...context, signal }, { begin });
        return readAnswer(answer, received, noteOf(context));
      };
      const answers = await loadTogether(bodies, ask, context.signal);
      // Bedrock has no base64, so that its encoding is no repair.
      return joinedVectors(answers, input.count, request, () => {});
    },
  };
}

function titanBodies(request: Fields, input: EmbedInput): object[] {
  const { input: _, encoding_format: __, input_type: ___, dimensions, ...more } = request;
  const size = dimensions ?? undefined;
  return textsIn(input).map((inputText) => withoutUndefined({ ...more, inputText, dimensions: size }));
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
function readAnswer(answer: Fields, headers: IncomingHttpHeaders, note: NoteRepair) {
  countsFromText(answer, note);
  const { embedding, embeddings, inputTextTokenCount } = answer;
  const listed = isFields(embeddings) ? embeddings['float'] : embeddings;
  const vectors = embedding === undefined ? listed : [embedding];
  if (!Array.isArray(vectors)) throw malformedAnswer('no vectors');
  return { vectors: vectors as unknown[], tokens: inputTextTokenCount ?? Number(headers[TOKENS_HEADER]) };
}
