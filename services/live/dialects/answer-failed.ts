import { ProviderError } from '../../../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from '../../../providers/public-message.ts';

/** The upstream of a chat ended its answer by saying that it failed; the other dialects have no such end. */
export function answerFailed(): ProviderError {
  return new ProviderError({
    code: 'server_error',
    sent: true,
    retryable: true,
    publicMessage: PUBLIC_MESSAGES.server_error,
    cause: new Error('an answer that ended in an error'),
  });
}
