import type { ModelReasoning } from '../../../domain/model-facts.ts';
import { reasonsBy } from '../../../domain/reasoning-share.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import { Losses } from '../cannot-carry.ts';
import { fieldsIn } from '../fields.ts';
import { toConversation } from './chat-messages.ts';
import { toMessagesOptions } from './chat-options.ts';
import { toMessagesTools } from './chat-tools.ts';

/**
 * A chat request in Anthropic's dialect, for a model that reasons so. Throws CannotCarryError, which names all that has
 * no word there.
 */
export function toMessagesRequest(request: TextRequest, reasoning?: ModelReasoning): TextRequest {
  const losses = new Losses();
  const told = {
    ...toMessagesOptions(request, losses, reasonsBy(reasoning)),
    ...toConversation(fieldsIn(request['messages']), losses),
    ...toMessagesTools(request, losses),
    model: request.model,
  };
  losses.refuse();
  return told;
}
