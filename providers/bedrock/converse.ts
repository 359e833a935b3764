/** Adapts requests in Anthropic's dialect to Bedrock's Converse and ConverseStream. */
import type { LiveCallContext } from '../call-context.ts';
import type { TextRequest } from '../chat-adapter.ts';
import type { DialectAdapter, DialectEvent } from '../dialect-adapter.ts';
import { translateStream } from '../dialects/translated-stream.ts';
import { toAcceptable } from '../anthropic/acceptable-request.ts';
import { adaptThoughts, withoutUnsignedThoughts } from '../foreign-thoughts.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import { noteOf } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { withMessagesSchemas } from '../tool-schemas.ts';
import { requestIdOf, toMessage } from './converse-answer.ts';
import { ConverseReader } from './converse-events.ts';
import { toConverse } from './converse-request.ts';
import { loadFrameDecoder } from './frames.ts';

/** A guardrail that checks every chat. */
export interface Guardrail {
  guardrailIdentifier: string;
  guardrailVersion: string;
}

/**
 * Sends `POST /model/{model}/converse` and `…/converse-stream`. Converse has the blocks, the thoughts with signatures
 * and the counts of Anthropic's dialect under other names, so the adapter speaks that dialect; chats are translated to
 * it as they are for Anthropic. Written from the types of `@aws-sdk/client-bedrock-runtime` 3.1162 and the page
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse, as `@ai-sdk/amazon-bedrock` 5.0.101 and
 * LiteLLM 1.110.2 quote it, read 2026-11-28.
 */
export function createConverseAdapter(http: TextHttp, guardrail: Guardrail | undefined): DialectAdapter {
  const bodyOf = (request: TextRequest, context: LiveCallContext): object => {
    const body = toBody(request, context);
    return guardrail === undefined ? body : { ...body, guardrailConfig: guardrail };
  };
  return {
    async create(request, context) {
      const { model } = request;
      let id: string | undefined;
      const answer = await http.post(modelPath(model, 'converse'), bodyOf(request, context), context, {
        begin: (headers) => (id = requestIdOf(headers)),
      });
      return toMessage(answer, { id, model }, noteOf(context));
    },
    async stream(request, context) {
      const body = bodyOf(request, context);
      const decode = await loadFrameDecoder();
      const { model } = request;
      const reader = new ConverseReader({ model, decode, note: noteOf(context) });
      const batches = await http.stream(modelPath(model, 'converse-stream'), body, context, reader);
      return translateStream<DialectEvent[], DialectEvent>(batches, {
        translate: (events) => events,
        end: () => [],
      });
    },
  };
}

/** Returns the path of an operation of a model. The id of a model may be an ARN, with slashes and colons. */
export function modelPath(model: string, operation: string): string {
  return `model/${encodeURIComponent(model)}/${operation}`;
}

function toBody(request: TextRequest, context: LiveCallContext): object {
  const sent = adaptThoughts(request, context, withoutUnsignedThoughts);
  return toConverse(toAcceptable(withRegisteredMedia(withMessagesSchemas(sent))));
}
