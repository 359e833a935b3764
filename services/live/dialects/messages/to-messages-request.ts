import { reasonsBy } from '../../../../domain/catalog/reasoning-share.ts';
import type { LiveCallContext } from '../../../../providers/call-context.ts';
import type { TextRequest } from '../../../../providers/chat-adapter.ts';
import { Losses } from '../../../routing/cannot-carry.ts';
import { fieldsIn } from '../fields.ts';
import { toConversation } from './chat-messages.ts';
import { toMessagesOptions } from './chat-options.ts';
import { toMessagesTools } from './chat-tools.ts';

/** The facts about an endpoint that affect the translation. */
type EndpointFacts = Pick<LiveCallContext, 'reasoning' | 'maxOutputTokens'>;

/**
 * Translates a chat request to Anthropic's dialect, for an endpoint with these facts. Throws a CannotCarryError that
 * names every field without a counterpart.
 */
export function toMessagesRequest(
  request: TextRequest,
  { reasoning, maxOutputTokens }: EndpointFacts = {},
): TextRequest {
  const losses = new Losses();
  const translated = {
    ...toMessagesOptions(request, losses, { reasonsBy: reasonsBy(reasoning), maxOutputTokens }),
    ...toConversation(fieldsIn(request['messages']), losses),
    ...toMessagesTools(request, losses),
    model: request.model,
  };
  losses.refuse();
  return translated;
}
