/** Makes the calls of a private endpoint's upstream that a validation consists of. */
import type { PrivateEndpoint } from '../../../domain/endpoints/private-endpoint.ts';
import { MAX_CHECK_CALL_MS } from '../../../domain/endpoints/validation.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import { AnswerAllowance } from '../../../providers/answer-allowance.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import type { ChatAdapter, OpenAiUsage, TextRequest } from '../../../providers/chat-adapter.ts';
import { type Provider, providerFor } from '../../../providers/provider.ts';

/** The parts of an answer that the checks read. */
export interface Answered {
  /** The upstream's name of the model. */
  model: unknown;
  usage: OpenAiUsage | null;
}

/** The calls of the checks. Each one rejects with a ProviderError. */
export interface UpstreamCalls {
  whole(): Promise<Answered>;
  /** Reads a stream to its end. Absent for embeddings. */
  streamed?(): Promise<Answered>;
  /** Makes a call with further fields. Absent for embeddings. */
  wholeWith?(fields: Record<string, unknown>): Promise<Answered>;
}

export interface CallOptions {
  requestId: string;
  /** Aborts all calls, because the process stops. */
  signal: AbortSignal;
}

/** The limit of an answer in tokens; reasoning models use a part of it for reasoning. */
const MAX_TOKENS = 256;
/** The largest answer. */
const MAX_ANSWER_BYTES = 1024 ** 2;
/** The most chunks; an answer within the token limit has fewer. */
const MAX_CHUNKS = 5_000;
/** The prompt, which contains the word JSON because some servers require it for JSON formats. */
const PROMPT = 'Reply with the JSON object {"ok":true} and nothing else.';

/** Returns the calls for an endpoint; undefined when its adapter does not serve the capability. */
export function upstreamCalls(
  { capability, upstreamModelId: model }: PrivateEndpoint,
  provider: Provider,
  options: CallOptions,
): UpstreamCalls | undefined {
  const { chat, embeddings } = providerFor(provider, model);
  if (capability === 'chat') return chat && chatCalls(chat, model, options);
  if (embeddings === undefined) return undefined;
  return {
    whole: async () => {
      const answer = await embeddings.embed({ model, input: 'Is this endpoint ready?' }, contextOf(options));
      return { model: answer['model'], usage: answer.usage ?? null };
    },
  };
}

function chatCalls(chat: ChatAdapter, model: string, options: CallOptions): UpstreamCalls {
  const request: TextRequest = {
    model,
    messages: [{ role: 'user', content: PROMPT }],
    max_tokens: MAX_TOKENS,
  };
  const complete = async (body: TextRequest): Promise<Answered> => {
    const answer = await chat.complete(body, contextOf(options));
    return { model: answer['model'], usage: answer.usage ?? null };
  };
  return {
    whole: () => complete(request),
    streamed: () => readStream(chat, request, contextOf(options)),
    wholeWith(fields) {
      const { max_tokens: maxTokens, ...rest } = request;
      const limit = 'max_completion_tokens' in fields ? {} : { max_tokens: maxTokens };
      return complete({ ...rest, ...limit, ...fields });
    },
  };
}

/** The worker makes few such calls at once, so their memory is limited by the size of each answer alone. */
const UNCOUNTED = {
  limits: {
    maxTextBytes: MAX_ANSWER_BYTES,
    maxEventBytes: MAX_ANSWER_BYTES,
    maxMediaBytes: MAX_ANSWER_BYTES,
  },
  add: () => {},
  room: () => undefined,
};

/** Returns the context of a call with a timeout of its own, which bounds a silent vendor and an endless answer. */
function contextOf({ requestId, signal }: CallOptions): LiveCallContext {
  return {
    requestId,
    ownConnection: true,
    answer: new AnswerAllowance(UNCOUNTED, false),
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_CHECK_CALL_MS)]),
    timeouts: {
      firstByteMs: MAX_CHECK_CALL_MS,
      idleMs: MAX_CHECK_CALL_MS,
      attemptMs: MAX_CHECK_CALL_MS,
    },
  };
}

async function readStream(
  chat: ChatAdapter,
  request: TextRequest,
  context: LiveCallContext,
): Promise<Answered> {
  let model: unknown;
  let usage: OpenAiUsage | null = null;
  let chunks = 0;
  let hasChoice = false;
  for await (const arrived of await chat.stream(request, context)) {
    for (const chunk of arrived) {
      model ??= chunk['model'];
      usage = chunk.usage ?? usage;
      hasChoice ||= chunk.choices.length > 0;
    }
    chunks += arrived.length;
    if (chunks > MAX_CHUNKS) throw noStream('more chunks than the answer can have tokens');
  }
  if (!hasChoice) throw noStream('a stream without a choice');
  return { model, usage };
}

function noStream(what: string): ProviderError {
  return new ProviderError({
    code: 'invalid_response',
    sent: true,
    retryable: false,
    publicMessage: what,
  });
}
