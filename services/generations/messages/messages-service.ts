import { costOfTokens } from '../../../domain/token-price.ts';
import type { Target } from '../../../domain/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import type { LiveCall } from '../live-call.ts';
import { USUAL_OUTPUT_TOKENS } from '../pipeline/text-bill.ts';
import {
  createTextService,
  type ReadText,
  type TextDialect,
  type TextService,
} from '../pipeline/text-operation.ts';
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

export type MessagesService = TextService<MessagesBody, DialectObject>;

/** Chat in Anthropic's dialect. */
export function createMessagesService(deps: MessagesDeps): MessagesService {
  const adapterOf = ({ endpoint }: Target) => deps.providers.messagesAdapter(endpoint.providerSlug);
  const dialect: TextDialect<MessagesBody, ReadMessage, DialectObject, DialectEvent> = {
    withPreset: (call) => withMessagesPreset(deps, call),
    read: readMessage,
    askWhole: ({ requestTo }, target, context) => adapterOf(target)?.create(requestTo(target), context),
    askStream: ({ requestTo }, target, context) => adapterOf(target)?.stream(requestTo(target), context),
    end: (open, { prompt }, answered) => endMessage(open, prompt, answered),
    stream: (open, { prompt }, answered) => streamMessage(deps, open, prompt, answered),
  };
  return createTextService(deps, dialect);
}

interface ReadMessage extends ReadText {
  prompt: PromptFacts;
  requestTo(target: Target): TextRequest;
}

function readMessage({ body }: LiveCall<MessagesBody>): ReadMessage {
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
    },
    mostAt: ({ endpoint }) => costOfTokens(endpoint.pricing, tokens, prompt.images).totalNanos,
    requestTo(target) {
      const { options } = body.provider ?? {};
      const request = requestFor(target, fields, options);
      return options ? { ...withoutEndUser(request), model: request.model } : request;
    },
  };
}
