import { invalidRequest } from '../../../domain/errors.ts';
import { OutboundBlockedError } from '../../../platform/outbound-error.ts';

/**
 * Throws 400 for a callback URL that can never be called; `checkUrl` throws for such URLs. `path` is the path of its
 * field.
 */
export function checkCallbackUrl(
  checkUrl: (url: string) => void,
  url: string | null | undefined,
  path = 'body.default_callback_url',
): void {
  if (url === undefined || url === null) return;
  try {
    checkUrl(url);
  } catch (error) {
    if (!(error instanceof OutboundBlockedError)) throw error;
    throw invalidRequest({ path, message: error.message });
  }
}
