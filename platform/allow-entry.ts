import { isIP } from 'node:net';
import { createOutboundRules } from './outbound-rules.ts';
import { isLocalhost, parseOutboundUrl } from './url-rules.ts';

/**
 * Returns the entry of OUTBOUND_ALLOW that would allow a URL that the guard refused; undefined if none would. It
 * resolves no host name.
 */
export function allowEntryFor(url: string): string | undefined {
  const entry = narrowestEntry(url);
  if (entry === undefined) return undefined;
  try {
    parseOutboundUrl(url, createOutboundRules([entry]));
    return entry;
  } catch {
    return undefined;
  }
}

function narrowestEntry(url: string): string | undefined {
  const host = URL.parse(url)
    ?.hostname.replace(/\.+$/, '')
    .replace(/^\[|\]$/g, '');
  if (host === undefined || host === '') return undefined;
  if (isLocalhost(host)) return '127.0.0.1/32';
  switch (isIP(host)) {
    case 4:
      return `${host}/32`;
    case 6:
      return `${host}/128`;
    default:
      return host;
  }
}
