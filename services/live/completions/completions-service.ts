/** Serves the operation for text completions by translating it to and from chat. */
import { type Fields, textOf } from '../../../domain/fields.ts';
import type { ChatChunk, ChatCompletion } from '../../../providers/chat-adapter.ts';
import { contentText } from '../../../providers/dialects/responses/answer-parts.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import type { ChatBody } from '../chat/chat-body.ts';
import { type ChatDialect, chatDialect } from '../chat/chat-service.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { createTextService, type TextService } from '../pipeline/text-operation.ts';
import { type RefusedFields, refuseFields } from '../refuse-fields.ts';

/** A completions request that has passed the contract's validation. */
type CompletionsBody = RoutableBody & { prompt: string | string[] };

export type CompletionsService = TextService<CompletionsBody, Fields>;

/**
 * Fields of a chat whose answers have no place in a completion, with their allowed values. They may come from a preset
 * or from options for one provider.
 */
const NOT_IN_A_COMPLETION: RefusedFields = {
  tools: [[]],
  tool_choice: ['auto', 'none'],
  functions: [[]],
  modalities: [['text']],
  audio: [],
  logprobs: [false],
  top_logprobs: [0],
};

/**
 * Fields of completions without a counterpart in a chat. The contract allows only values of them that change nothing.
 */
const NOT_IN_A_CHAT = ['suffix', 'echo', 'best_of', 'logprobs'] as const;

/** Fields that change nothing without tools. Some vendors refuse them without tools. */
const WITHOUT_EFFECT = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'modalities'] as const;

/**
 * Serves OpenAI's older text completions as a chat of one message (OpenAI's API reference, "Completions", read
 * 2026-11-23).
 */
export function createCompletionsService(deps: LiveDeps): CompletionsService {
  const chat = chatDialect(deps, { object: 'text_completion', write: toCompletionChunk });
  const service = createTextService(deps, {
    ...chat,
    read: readWith(chat),
    end(...answered) {
      const { billed, show } = chat.end(...answered);
      return { billed, show: () => toCompletion(show()) };
    },
  });
  return {
    create: (call) => service.create(toChatCall(call)),
    stream: (call) => service.stream(toChatCall(call)),
  };
}

function toChatCall(call: LiveCall<CompletionsBody>): LiveCall<ReturnType<typeof toChatBody>> {
  return { ...call, body: toChatBody(call.body) };
}

function readWith(chat: ChatDialect): ChatDialect['read'] {
  return (call, original) => {
    const body = { ...call.body };
    for (const name of WITHOUT_EFFECT) delete body[name];
    const read = chat.read({ ...call, body }, original);
    return {
      ...read,
      check() {
        refuseFields(call.body, NOT_IN_A_COMPLETION);
        read.check?.();
      },
    };
  };
}

/**
 * Returns a completions request as a chat request. The prompt becomes a user's message, and all other fields keep their
 * names.
 */
export function toChatBody({ prompt, ...rest }: CompletionsBody): ChatBody {
  const [content = ''] = typeof prompt === 'string' ? [prompt] : prompt;
  const body: ChatBody = { ...rest, messages: [{ role: 'user', content } as ChatBody['messages'][number]] };
  for (const name of NOT_IN_A_CHAT) delete body[name];
  return body;
}

/** Returns a chat's whole answer as the answer of completions. */
export function toCompletion({ choices, ...rest }: ChatCompletion): Fields {
  return {
    ...rest,
    object: 'text_completion',
    choices: choices.map(({ message, ...choice }) => toChoice(message, choice)),
  };
}

/** Returns a chunk of a chat as one of completions, which has the same form as a whole answer. */
export function toCompletionChunk({ choices, ...rest }: ChatChunk): Fields {
  return { ...rest, choices: choices.map(({ delta, ...choice }) => toChoice(delta, choice)) };
}

function toChoice({ content, refusal, reasoning }: Fields, { index, ...ending }: Fields): Fields {
  const { finish_reason: reason = null, native_finish_reason: native } = ending;
  return {
    text: contentText(content) + textOf(refusal),
    index,
    logprobs: null,
    finish_reason: reason,
    native_finish_reason: native,
    ...(textOf(reasoning) === '' ? {} : { reasoning }),
  };
}
