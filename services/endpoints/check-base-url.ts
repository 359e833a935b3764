/** Checks the address that a customer gives for a private endpoint, and explains a refusal. */
import type { Issue } from '../../domain/errors.ts';
import { allowEntryFor } from '../../platform/allow-entry.ts';
import { OutboundBlockedError } from '../../platform/outbound-error.ts';

/** Throws an OutboundBlockedError for a URL that will certainly be refused when it is called. */
export type CheckUrl = (url: string) => void;

/**
 * Returns the issue of a private endpoint's address; undefined when there is none. For an address that the guard
 * refuses, the message names the entry of OUTBOUND_ALLOW that would allow it, and never contains a resolved address.
 */
export function issueOfBaseUrl(checkUrl: CheckUrl, url: string): Issue | undefined {
  try {
    checkUrl(url);
    return issueOfTail('body.base_url', url);
  } catch (error) {
    if (!(error instanceof OutboundBlockedError)) throw error;
    const advice = error.reason === 'own_address' ? undefined : adviceFor(url);
    return { path: 'body.base_url', message: [error.message, advice].filter(Boolean).join('. ') };
  }
}

/** Returns the issue of a base URL with a query or a fragment, which requests would not contain. */
export function issueOfTail(path: string, url: string): Issue | undefined {
  if (!/[?#]/.test(url)) return undefined;
  return { path, message: 'must name an address without a query and without a fragment' };
}

function adviceFor(url: string): string | undefined {
  const entry = allowEntryFor(url);
  if (entry === undefined) return undefined;
  const range = entry.includes('/') ? '' : ', and the range of its addresses where they are private';
  return `To open it, the operator of this gateway has to add ${entry} to OUTBOUND_ALLOW${range}`;
}
