/** Serves chat completions in OpenAI's dialect, whole or streamed. */
import { mergePreset } from '../../../domain/presets/preset-merge.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../../providers/chat-adapter.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { measureText } from '../pipeline/measure-text.ts';
import {
  createTextService,
  type ReadText,
  type TextDialect,
  type TextService,
} from '../pipeline/text-operation.ts';
import {
  type ProviderOptions,
  requestFor,
  withoutCacheControl,
  type DefaultLimit,
  withLimit,
} from '../../../providers/upstream-request.ts';
import { urlsIn } from '../urls/url-places.ts';
import { refuseUnpriced } from '../refuse-unpriced.ts';
import { endChat } from './chat-answer.ts';
import { type ChatBody, fieldsOf } from './chat-body.ts';
import { failedChat, streamChat } from './chat-stream.ts';
import { CHAT_CHUNKS, type ChunkForm } from './chunk-writer.ts';

export type ChatService = TextService<ChatBody, ChatCompletion>;

export type ChatDialect = TextDialect<ChatBody, ReadChat, ChatCompletion, ChatChunk>;

export function createChatService(deps: LiveDeps): ChatService {
  return createTextService(deps, chatDialect(deps));
}

/** Creates the chat service's dialect, which is OpenAI's. `form` is the form of the chunks in a stream. */
export function chatDialect(deps: LiveDeps, form: ChunkForm = CHAT_CHUNKS): ChatDialect {
  const adapterOf = (target: Target) => deps.providers.of(target)?.chat;
  return {
    mergePreset: (config, prompt, body) => mergePreset(config, prompt, body) as ChatBody,
    read: (call) => readChat(call, (target) => adapterOf(target)?.defaultMaxTokens, form),
    askWhole({ requestTo }, target, context, limit) {
      const adapter = adapterOf(target);
      return adapter?.complete(withLimit(requestTo(target, adapter), 'max_tokens', limit), context);
    },
    askStream({ requestTo }, target, context, limit) {
      const adapter = adapterOf(target);
      return adapter?.stream(withLimit(requestTo(target, adapter), 'max_tokens', limit), context);
    },
    end: (open, { promptAt }, answered) => endChat(open, promptAt(answered.target), answered),
    stream: (open, read, answered) => streamChat(deps, open, read, answered),
    failed: (open, read, failure) => failedChat(deps, open, read, failure),
  };
}

interface ReadChat extends ReadText {
  /** True when the caller asks for a separate chunk with the usage. */
  includesUsage: boolean;
  form: ChunkForm;
  requestTo(target: Target, adapter: ChatAdapter): TextRequest;
}

function readChat({ body }: LiveCall<ChatBody>, defaultLimit: DefaultLimit, form: ChunkForm): ReadChat {
  const fields = fieldsOf(body);
  const options = body.provider?.options;
  const { prompt, ...measured } = measureText(fields, options, defaultLimit);
  return {
    includesUsage: body.stream_options?.include_usage === true,
    form,
    routable: body,
    check: () => refuseUnpriced(body),
    urls: urlsIn(body, prompt, ['messages']),
    opening: { input: body.messages, inputModalities: prompt.modalities, user: body.user },
    ...measured,
    requestTo: requestsOf(fields, options),
  };
}

/**
 * Returns a function that builds the request to each endpoint. The body without cache markers is built once, for
 * endpoints that refuse them.
 */
function requestsOf(fields: Record<string, unknown>, options: ProviderOptions): ReadChat['requestTo'] {
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) => {
    const sent = cacheControl ? fields : (plain ??= withoutCacheControl(fields));
    const { store, ...request } = requestFor(target, sent, options);
    // Send `store: false` only to OpenAI, which may keep answers by default. Other vendors may refuse the field.
    return store === false && target.endpoint.providerSlug === 'openai' ? { ...request, store } : request;
  };
}
