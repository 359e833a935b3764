import { ProviderError } from '../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from './public-message.ts';

/** Returns the error for content that a vendor refuses. The vendor's reason is for operators only. */
export function refusedContent(
  reason: string,
  { status = 200, publicMessage = '' }: { status?: number; publicMessage?: string } = {},
): ProviderError {
  return new ProviderError({
    code: 'content_policy',
    status,
    sent: true,
    retryable: false,
    publicMessage: publicMessage || PUBLIC_MESSAGES.content_policy,
    cause: new Error(`refused: ${reason}`),
  });
}
