/** Tells refusals of content from other ends of Gemini's answers. */
import { ProviderError } from '../../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from '../public-message.ts';

const REFUSALS = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/;

/** Returns whether Google ends answers for this reason because of their content. */
export function refusesContent(finishReason: string): boolean {
  return REFUSALS.test(finishReason);
}

/** Returns the error for content that Google refuses. */
export function refusedContent(reason: string): ProviderError {
  return new ProviderError({
    code: 'content_policy',
    sent: true,
    retryable: false,
    publicMessage: PUBLIC_MESSAGES.content_policy,
    cause: new Error(`refused: ${reason}`),
  });
}
