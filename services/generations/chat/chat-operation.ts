import { costOfTokens } from '../../../domain/token-price.ts';
import type { Target } from '../../../domain/routing.ts';
import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../../providers/chat-adapter.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { CALLERS_FAILURES_OF_TEXT, USUAL_OUTPUT_TOKENS } from '../pipeline/callers-failures.ts';
import type { LiveOperation, LiveRequest } from '../pipeline/live-operation.ts';
import { type PromptFacts, readPrompt } from '../prompt-facts.ts';
import { requestFor, withoutCacheControl, withoutGatewayFields } from '../upstream-request.ts';
import { endChat } from './chat-answer.ts';
import { type ChatBody, withChatPreset } from './chat-body.ts';
import { streamChat } from './chat-stream.ts';

type ChatOperation<Answer, Result> = LiveOperation<ChatBody, Answer, Result>;

/** Chat whose answer is asked for as a whole. */
export function chatOperation(deps: LiveDeps): ChatOperation<ChatCompletion, ChatCompletion> {
  return {
    ...shared(deps),
    read(call) {
      const { prompt, requestTo, ...request } = readChat(call, false);
      return {
        ...request,
        ask(target, context) {
          const adapter = deps.providers.chatAdapter(target.endpoint.providerSlug);
          return adapter?.complete(requestTo(target, adapter), context);
        },
        answered: (answer, open) => endChat(open, prompt, answer),
      };
    },
  };
}

/** Chat whose answer is asked for as a stream. */
export function chatStreamOperation(deps: LiveDeps): ChatOperation<AsyncIterable<ChatChunk[]>, EventStream> {
  return {
    ...shared(deps),
    read(call) {
      const { prompt, requestTo, ...request } = readChat(call, true);
      return {
        ...request,
        ask(target, context) {
          const adapter = deps.providers.chatAdapter(target.endpoint.providerSlug);
          return adapter?.stream(requestTo(target, adapter), context);
        },
        answered: (answer, open) => ({
          stream: streamChat(deps, open, prompt, answer),
          show: (events) => events,
        }),
      };
    },
  };
}

function shared(deps: LiveDeps): Omit<ChatOperation<never, never>, 'read'> {
  return {
    capability: 'chat',
    apiType: 'completions',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    withPreset: (call) => withChatPreset(deps, call),
  };
}

interface ReadChat extends Pick<LiveRequest<never, never>, 'routable' | 'opening' | 'mostAt'> {
  prompt: PromptFacts;
  requestTo(target: Target, adapter: ChatAdapter): TextRequest;
}

function readChat({ body }: LiveCall<ChatBody>, streamed: boolean): ReadChat {
  const prompt = readPrompt(body.messages, body.tools);
  const completion = (body.max_completion_tokens ?? body.max_tokens ?? USUAL_OUTPUT_TOKENS) * (body.n ?? 1);
  const tokens = { prompt: prompt.estimatedTokens, completion };
  return {
    prompt,
    routable: body,
    opening: { input: body.messages, inputModalities: prompt.modalities, user: body.user, streamed },
    mostAt: ({ endpoint }) => costOfTokens(endpoint.pricing, tokens, prompt.images).totalNanos,
    requestTo: requestsOf(body),
  };
}

/** Builds what each endpoint is sent. The body without cache markers is built once, for endpoints that refuse them. */
function requestsOf(body: ChatBody): ReadChat['requestTo'] {
  const fields = withoutGatewayFields(body);
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) =>
    requestFor(
      target,
      cacheControl ? fields : (plain ??= withoutCacheControl(fields)),
      body.provider?.options,
    );
}
