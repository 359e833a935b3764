/** Serves messages in Anthropic's dialect, whole or streamed, and estimates their tokens. */
import type { Target } from '../../../domain/routing/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import type { LiveCall } from '../live-call.ts';
import { completeByPreset } from '../pipeline/complete-by-preset.ts';
import { measureText } from '../pipeline/measure-text.ts';
import { planLive } from '../pipeline/plan-live.ts';
import {
  createTextService,
  type ReadText,
  type TextDialect,
  type TextService,
} from '../pipeline/text-operation.ts';
import { refuseFields } from '../refuse-fields.ts';
import { KEPT_OR_UNPRICED } from '../refuse-unpriced.ts';
import { requestFor, type DefaultLimit, withLimit } from '../../../providers/upstream-request.ts';
import { urlsIn } from '../urls/url-places.ts';
import { endMessage } from './ended-message.ts';
import {
  fieldsOf,
  mergeMessagesPreset,
  type MessagesBody,
  routableOf,
  withoutEndUser,
} from './messages-body.ts';
import type { MessagesDeps } from './messages-deps.ts';
import { failedMessage, streamMessage } from './messages-stream.ts';

/**
 * Fields with their own prices, as in `contract/live/messages-request.ts`, and fields that a chat endpoint would act
 * on. Only these values are allowed.
 */
const REFUSED = {
  ...KEPT_OR_UNPRICED,
  speed: ['standard'],
  inference_geo: ['global'],
};

export interface MessagesService extends TextService<MessagesBody, DialectObject> {
  /** Resolves with an estimate of the prompt's tokens. Sends, bills and records nothing. */
  countTokens(call: LiveCall<MessagesBody>): Promise<number>;
}

/** Creates the service of Anthropic's dialect. */
export function createMessagesService(deps: MessagesDeps): MessagesService {
  const adapterOf = (target: Target) => deps.providers.of(target)?.messages;
  const dialect: TextDialect<MessagesBody, ReadMessage, DialectObject, DialectEvent> = {
    mergePreset: mergeMessagesPreset,
    read: (call) => readMessage(call, (target) => adapterOf(target)?.defaultMaxTokens),
    askWhole: ({ requestTo }, target, context, limit) =>
      adapterOf(target)?.create(withLimit(requestTo(target), 'max_tokens', limit), context),
    askStream: ({ requestTo }, target, context, limit) =>
      adapterOf(target)?.stream(withLimit(requestTo(target), 'max_tokens', limit), context),
    end: (open, { promptAt }, answered) => endMessage(open, promptAt(answered.target), answered),
    stream: (open, { promptAt }, answered) => streamMessage(deps, open, promptAt(answered.target), answered),
    failed: (open, _read, { error }) => failedMessage(deps, open, error),
  };
  return {
    ...createTextService(deps, dialect),
    async countTokens(original) {
      const { call } = await completeByPreset(deps, original, mergeMessagesPreset);
      const request = dialect.read(call, original);
      const { targets } = await planLive(deps, 'chat', call, request);
      return request.promptAt(targets[0]).estimatedTokens;
    },
  };
}

interface ReadMessage extends ReadText {
  requestTo(target: Target): TextRequest;
}

function readMessage({ body }: LiveCall<MessagesBody>, defaultLimit: DefaultLimit): ReadMessage {
  const fields = fieldsOf(body);
  const options = body.provider?.options;
  const fixed = { answers: 1, modalities: ['text'] as const };
  const { prompt, ...measured } = measureText(fields, options, defaultLimit, fixed);
  return {
    routable: routableOf(body),
    check: () => refuseFields(body, REFUSED),
    urls: urlsIn(body, prompt, ['system', 'messages']),
    opening: {
      input: body.system ? [{ role: 'system', content: body.system }, ...body.messages] : body.messages,
      inputModalities: prompt.modalities,
      user: body.user ?? body.metadata?.user_id,
    },
    ...measured,
    requestTo(target) {
      const request = requestFor(target, fields, options);
      return options ? { ...withoutEndUser(request), model: request.model } : request;
    },
  };
}
