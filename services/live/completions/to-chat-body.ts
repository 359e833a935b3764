/** Translates the request of a text completion to a chat. */
import type { ChatBody } from '../chat/chat-body.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';

/** A completions request that has passed the contract's validation. */
export type CompletionsBody = RoutableBody & { prompt: string | string[] };

/**
 * Fields of completions without a counterpart in a chat. The contract allows only values of them that change nothing.
 */
const WITHOUT_EFFECT = ['suffix', 'echo', 'best_of', 'logprobs'] as const;

/**
 * Returns a completions request as a chat request. The prompt becomes a user's message, and all other fields keep their
 * names.
 */
export function toChatBody({ prompt, ...rest }: CompletionsBody): ChatBody {
  const [content = ''] = typeof prompt === 'string' ? [prompt] : prompt;
  const body: ChatBody = { ...rest, messages: [{ role: 'user', content } as ChatBody['messages'][number]] };
  for (const name of WITHOUT_EFFECT) delete body[name];
  return body;
}
