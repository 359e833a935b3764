import { invalidRequest } from '../../../domain/errors.ts';
import { issuesOfUrl } from '../../refused-url.ts';

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
  const issues = issuesOfUrl(checkUrl, path, url);
  if (issues.length > 0) throw invalidRequest(...issues);
}
