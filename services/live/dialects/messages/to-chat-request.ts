import type { TextRequest } from '../../../../providers/chat-adapter.ts';
import { Losses } from '../../../routing/cannot-carry.ts';
import { toChatMessages } from './block-messages.ts';
import { toChatOptions } from './messages-options.ts';

/**
 * Translates a messages request to a chat request. Throws a CannotCarryError that names every field without a
 * counterpart.
 */
export function toChatRequest(request: TextRequest): TextRequest {
  const losses = new Losses();
  const translated = {
    ...toChatOptions(request, losses),
    messages: toChatMessages(request, losses),
    model: request.model,
  };
  losses.refuse();
  return translated;
}
