import { costOfTokens } from '../../../domain/token-price.ts';
import type { Target } from '../../../domain/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import { CALLERS_FAILURES_OF_TEXT, USUAL_OUTPUT_TOKENS } from '../pipeline/callers-failures.ts';
import type { LiveOperation, LiveRequest } from '../pipeline/live-operation.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import { refuseFields } from '../refuse-fields.ts';
import { requestFor } from '../upstream-request.ts';
import { endMessage } from './ended-message.ts';
import {
  fieldsOf,
  type MessagesBody,
  routableOf,
  withMessagesPreset,
  withoutEndUser,
} from './messages-body.ts';
import type { MessagesDeps } from './messages-deps.ts';
import { readMessagesPrompt } from './messages-prompt.ts';
import { streamMessage } from './messages-stream.ts';

/** They have prices of their own, as in `contract/messages-request.ts`. */
const REFUSED = { speed: ['standard'], inference_geo: ['global'] };

type MessagesOperation<Answer, Result> = LiveOperation<MessagesBody, Answer, Result>;

/** A message whose answer is asked for as a whole. */
export function messagesOperation(deps: MessagesDeps): MessagesOperation<DialectObject, DialectObject> {
  return {
    ...shared(deps),
    read(call) {
      const { prompt, requestTo, ...request } = readMessage(call, false);
      return {
        ...request,
        ask: (target, context) =>
          deps.providers.messagesAdapter(target.endpoint.providerSlug)?.create(requestTo(target), context),
        answered: (answered, open) => endMessage(open, prompt, answered),
      };
    },
  };
}

/** A message whose answer is asked for as a stream. */
export function messagesStreamOperation(
  deps: MessagesDeps,
): MessagesOperation<AsyncIterable<DialectEvent[]>, EventStream> {
  return {
    ...shared(deps),
    read(call) {
      const { prompt, requestTo, ...request } = readMessage(call, true);
      return {
        ...request,
        ask: (target, context) =>
          deps.providers.messagesAdapter(target.endpoint.providerSlug)?.stream(requestTo(target), context),
        answered: (answered, open) => ({
          stream: streamMessage(deps, open, prompt, answered),
          show: (events) => events,
        }),
      };
    },
  };
}

function shared(deps: MessagesDeps): Omit<MessagesOperation<never, never>, 'read'> {
  return {
    capability: 'chat',
    apiType: 'completions',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    withPreset: (call) => withMessagesPreset(deps, call),
  };
}

interface ReadMessage extends Pick<LiveRequest<never, never>, 'routable' | 'check' | 'opening' | 'mostAt'> {
  prompt: PromptFacts;
  requestTo(target: Target): TextRequest;
}

function readMessage({ body }: LiveCall<MessagesBody>, streamed: boolean): ReadMessage {
  const prompt = readMessagesPrompt(body.messages, body.system, body.tools);
  const tokens = { prompt: prompt.estimatedTokens, completion: body.max_tokens ?? USUAL_OUTPUT_TOKENS };
  const fields = fieldsOf(body);
  return {
    prompt,
    routable: routableOf(body),
    check: () => refuseFields(body, REFUSED),
    opening: {
      input: body.system ? [{ role: 'system', content: body.system }, ...body.messages] : body.messages,
      inputModalities: prompt.modalities,
      user: body.user ?? body.metadata?.user_id,
      streamed,
    },
    mostAt: ({ endpoint }) => costOfTokens(endpoint.pricing, tokens, prompt.images).totalNanos,
    requestTo(target) {
      const { options } = body.provider ?? {};
      const request = requestFor(target, fields, options);
      return options ? { ...withoutEndUser(request), model: request.model } : request;
    },
  };
}
