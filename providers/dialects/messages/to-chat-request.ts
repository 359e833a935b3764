/** Translates a request in Anthropic's dialect to a chat request in OpenAI's. */
import type { TextRequest } from '../../chat-adapter.ts';
import { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { toChatMessages } from './block-messages.ts';
import { toChatOptions } from './messages-options.ts';

/**
 * Translates a messages request to a chat request. Throws an UnsupportedFieldsError that names every field without a
 * counterpart.
 */
export function toChatRequest(request: TextRequest): TextRequest {
  const unsupported = new UnsupportedFields();
  const translated = {
    ...toChatOptions(request, unsupported),
    messages: toChatMessages(request, unsupported),
    model: request.model,
  };
  unsupported.throwIfAny();
  return translated;
}
