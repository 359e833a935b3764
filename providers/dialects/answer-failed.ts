import { ProviderError } from '../../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from '../public-message.ts';

/**
 * Returns the failure for a chat's answer with finish reason `error`; the other dialects have no such finish reason.
 */
export function answerFailed(): ProviderError {
  return new ProviderError({
    code: 'server_error',
    sent: true,
    retryable: true,
    publicMessage: PUBLIC_MESSAGES.server_error,
    cause: new Error('an answer that ended in an error'),
  });
}
