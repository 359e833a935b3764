/** Serves the operation for text completions by translating it to and from chat. */
import { type CompletionsBody, toChatBody } from './to-chat-body.ts';
import { toCompletion, toCompletionChunk } from './to-completion.ts';
import type { Fields } from '../../../domain/fields.ts';
import { type ChatDialect, chatDialect } from '../chat/chat-service.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { createTextService, type TextService } from '../pipeline/text-operation.ts';
import { type RefusedFields, refuseFields } from '../refuse-fields.ts';

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
