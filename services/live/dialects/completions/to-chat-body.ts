import type { ChatBody } from '../../chat/chat-body.ts';
import type { RoutableBody } from '../../../routing/routable-body.ts';

/** A completions request that the contract let through. */
export type CompletionsBody = RoutableBody & { prompt: string | string[] };

/** Fields of completions that say nothing to a chat. The contract admits only values of them that change nothing. */
const SAY_NOTHING = ['suffix', 'echo', 'best_of', 'logprobs'] as const;

/** Returns the chat that a completions request is: its prompt as the message of a user, all else by the same names. */
export function toChatBody({ prompt, ...rest }: CompletionsBody): ChatBody {
  const [content = ''] = typeof prompt === 'string' ? [prompt] : prompt;
  const body: ChatBody = { ...rest, messages: [{ role: 'user', content } as ChatBody['messages'][number]] };
  for (const name of SAY_NOTHING) delete body[name];
  return body;
}
