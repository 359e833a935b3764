import type { Target } from '../../../domain/routing.ts';
import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../../providers/chat-adapter.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { answerCount, mostCost, type MostTokens, outputTokens } from '../pipeline/most-tokens.ts';
import {
  createTextService,
  type ReadText,
  type TextDialect,
  type TextService,
} from '../pipeline/text-operation.ts';
import { type PromptFacts, readPrompt } from '../prompt-facts.ts';
import {
  fieldsFor,
  type ProviderOptions,
  requestFor,
  withoutCacheControl,
  withoutGatewayFields,
} from '../upstream-request.ts';
import { refuseUnpriced } from '../refuse-unpriced.ts';
import { endChat } from './chat-answer.ts';
import { type ChatBody, withChatPreset } from './chat-body.ts';
import { streamChat } from './chat-stream.ts';

export type ChatService = TextService<ChatBody, ChatCompletion>;

/** Chat in OpenAI's dialect. */
export function createChatService(deps: LiveDeps): ChatService {
  const adapterOf = ({ endpoint }: Target) => deps.providers.chatAdapter(endpoint.providerSlug);
  const dialect: TextDialect<ChatBody, ReadChat, ChatCompletion, ChatChunk> = {
    withPreset: (call) => withChatPreset(deps, call),
    read: readChat,
    askWhole({ requestTo }, target, context) {
      const adapter = adapterOf(target);
      return adapter?.complete(requestTo(target, adapter), context);
    },
    askStream({ requestTo }, target, context) {
      const adapter = adapterOf(target);
      return adapter?.stream(requestTo(target, adapter), context);
    },
    end: (open, { prompt }, answered) => endChat(open, prompt, answered),
    stream: (open, read, answered) => streamChat(deps, open, read, answered),
  };
  return createTextService(deps, dialect);
}

interface ReadChat extends ReadText {
  prompt: PromptFacts;
  /** The caller asks for a chunk of its own with the usage. */
  includesUsage: boolean;
  requestTo(target: Target, adapter: ChatAdapter): TextRequest;
}

function readChat({ body }: LiveCall<ChatBody>): ReadChat {
  const fields = withoutGatewayFields(body);
  const options = body.provider?.options;
  const asked = tokensOf(body);
  const { prompt } = asked;
  return {
    prompt,
    includesUsage: body.stream_options?.include_usage === true,
    routable: body,
    check: () => refuseUnpriced(body),
    opening: { input: body.messages, inputModalities: prompt.modalities, user: body.user },
    mostAt(target) {
      const sent = fieldsFor(target, fields, options);
      const tokens = sent === fields ? asked : tokensOf(sent as ChatBody);
      return mostCost(target, tokens);
    },
    requestTo: requestsOf(fields, options),
  };
}

/** Reads how many tokens a request may take and make. */
function tokensOf(fields: ChatBody): MostTokens {
  const prompt = readPrompt(fields.messages, fields.tools);
  const each = outputTokens(fields.max_completion_tokens, fields.max_tokens);
  return { prompt, completion: each * answerCount(fields.n) };
}

/** Builds what each endpoint is sent. The body without cache markers is built once, for endpoints that refuse them. */
function requestsOf(fields: Record<string, unknown>, options: ProviderOptions): ReadChat['requestTo'] {
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) => {
    const sent = cacheControl ? fields : (plain ??= withoutCacheControl(fields));
    const { store, ...request } = requestFor(target, sent, options);
    // Only OpenAI knows the field, and keeps answers by default where its account says so; others may refuse it.
    return store === false && target.endpoint.providerSlug === 'openai' ? { ...request, store } : request;
  };
}
