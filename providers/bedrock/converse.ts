/** Adapts requests in Anthropic's dialect to Bedrock's Converse and ConverseStream. */
import { withoutRefusedParts } from '../anthropic/messages.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { TextRequest } from '../chat-adapter.ts';
import type { DialectAdapter, DialectEvent } from '../dialect-adapter.ts';
import { newMessage } from '../dialects/messages/new-message.ts';
import { translateStream } from '../dialects/translated-stream.ts';
import { noteOf } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { modelPath } from './model-path.ts';
import { requestIdOf, toMessage } from './converse-answer.ts';
import { ConverseReader } from './converse-events.ts';
import { toConverse } from './converse-request.ts';
import type { BedrockCredential } from './credential.ts';
import { loadFrameCodec } from './frames.ts';

/**
 * Sends `POST /model/{model}/converse` and `…/converse-stream`. Converse has the blocks, the thoughts with signatures
 * and the counts of Anthropic's dialect under other names, so the adapter speaks that dialect; chats are translated to
 * it as they are for Anthropic. `guardrail` checks every chat. Written from the types of
 * `@aws-sdk/client-bedrock-runtime` 3.1162 and the page docs.aws.amazon.com/bedrock/latest/APIReference/
 * API_runtime_Converse, as `@ai-sdk/amazon-bedrock` 5.0.101 and LiteLLM 1.110.2 quote it, read 2026-11-28.
 */
export function createConverseAdapter(
  http: TextHttp,
  guardrail: BedrockCredential['guardrail'],
): DialectAdapter {
  const bodyOf = (request: TextRequest, context: LiveCallContext): object => {
    const body = toConverse(withoutRefusedParts(request, context));
    if (guardrail === undefined) return body;
    const { identifier: guardrailIdentifier, version: guardrailVersion } = guardrail;
    return { ...body, guardrailConfig: { guardrailIdentifier, guardrailVersion } };
  };
  return {
    async create(request, context) {
      const { model } = request;
      let id: string | undefined;
      const answer = await http.post(modelPath(model, 'converse'), bodyOf(request, context), context, {
        begin: (headers) => (id = requestIdOf(headers)),
      });
      return toMessage(answer, newMessage(id, model), noteOf(context));
    },
    async stream(request, context) {
      const body = bodyOf(request, context);
      const codec = await loadFrameCodec();
      const { model } = request;
      const reader = new ConverseReader({ model, codec, note: noteOf(context) });
      const batches = await http.stream(modelPath(model, 'converse-stream'), body, context, reader);
      return translateStream<DialectEvent[], DialectEvent>(batches, {
        translate: (events) => events,
        end: () => [],
      });
    },
  };
}
