import { reasonsBy } from '../../../../domain/catalog/reasoning-share.ts';
import type { LiveCallContext } from '../../../../providers/call-context.ts';
import type { TextRequest } from '../../../../providers/chat-adapter.ts';
import { Losses } from '../../../routing/cannot-carry.ts';
import { fieldsIn } from '../fields.ts';
import { toConversation } from './chat-messages.ts';
import { toMessagesOptions } from './chat-options.ts';
import { toMessagesTools } from './chat-tools.ts';

/** Of the endpoint. */
type EndpointFacts = Pick<LiveCallContext, 'reasoning' | 'maxOutputTokens'>;

/**
 * A chat request in Anthropic's dialect, for an endpoint of these facts. Throws CannotCarryError, which names all that has
 * no word there.
 */
export function toMessagesRequest(
  request: TextRequest,
  { reasoning, maxOutputTokens }: EndpointFacts = {},
): TextRequest {
  const losses = new Losses();
  const told = {
    ...toMessagesOptions(request, losses, { reasonsBy: reasonsBy(reasoning), maxOutputTokens }),
    ...toConversation(fieldsIn(request['messages']), losses),
    ...toMessagesTools(request, losses),
    model: request.model,
  };
  losses.refuse();
  return told;
}
