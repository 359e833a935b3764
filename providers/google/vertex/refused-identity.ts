import { ProviderError } from '../../../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from '../../public-message.ts';

/** Returns the error for an identity to which Google gives no token. Nothing of the request has been sent. */
export function refusedIdentity(cause: unknown): ProviderError {
  const publicMessage = PUBLIC_MESSAGES.unauthorized;
  return new ProviderError({ code: 'unauthorized', sent: false, retryable: false, publicMessage, cause });
}
