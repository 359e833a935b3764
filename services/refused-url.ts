/** Finds URLs in requests that will certainly be refused when they are called. */
import type { Issue } from '../domain/errors.ts';
import { OutboundBlockedError } from '../platform/outbound-error.ts';

/** Returns an issue with this path for a URL that the outbound guard refuses. `checkUrl` throws for such URLs. */
export function issuesOfUrl(checkUrl: (url: string) => void, path: string, url: string): Issue[] {
  try {
    checkUrl(url);
    return [];
  } catch (error) {
    if (!(error instanceof OutboundBlockedError)) throw error;
    return [{ path, message: error.message }];
  }
}
