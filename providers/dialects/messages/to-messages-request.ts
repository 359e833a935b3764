/** Combines the translations of a chat request's parts into a whole request to an Anthropic endpoint. */
import { reasonsBy } from '../../../domain/catalog/reasoning-share.ts';
import type { LiveCallContext } from '../../call-context.ts';
import type { TextRequest } from '../../chat-adapter.ts';
import { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { fieldsIn } from '../../../domain/fields.ts';
import { toConversation } from './chat-messages.ts';
import { toMessagesOptions } from './chat-options.ts';
import { toMessagesTools } from './chat-tools.ts';

/** The facts about an endpoint that affect the translation. */
type EndpointFacts = Pick<LiveCallContext, 'reasoning' | 'maxOutputTokens'>;

/**
 * Translates a chat request to Anthropic's dialect, for an endpoint with these facts. Throws an UnsupportedFieldsError
 * that names every field without a counterpart.
 */
export function toMessagesRequest(
  request: TextRequest,
  { reasoning, maxOutputTokens }: EndpointFacts = {},
): TextRequest {
  const unsupported = new UnsupportedFields();
  const translated = {
    ...toMessagesOptions(request, unsupported, { reasonsBy: reasonsBy(reasoning), maxOutputTokens }),
    ...toConversation(fieldsIn(request['messages']), unsupported),
    ...toMessagesTools(request, unsupported),
    model: request.model,
  };
  unsupported.throwIfAny();
  return translated;
}
