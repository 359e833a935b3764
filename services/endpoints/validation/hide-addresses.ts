/** Keeps internal addresses out of upstream messages that customers see after a failed validation. */
import { isIPv6 } from 'node:net';

const HIDDEN = '[address]';

/** The last labels of internal host names. */
const INTERNAL = 'internal|intranet|local|localdomain|localhost|lan|svc';

const IPV6_LIKE = /(?<![\w.:])\[?[\da-f]*:[\da-f:.]*(?:%\w+)?\]?(?::\d+)?/gi;
const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g;
const INTERNAL_NAME = new RegExp(
  String.raw`(?<![\w.-])(?:localhost|(?:[\w-]+\.)+(?:${INTERNAL})(?:\.[\w-]+)*)(?::\d+)?(?![\w-])`,
  'gi',
);
/** A name with dots and a port. */
const NAME_WITH_PORT = /(?<![\w.-])(?:[a-z\d-]+\.)+[a-z]{2,}:\d{2,5}(?!\w)/gi;
/** Matches a name without a dot and with a port that is too long for a status or a line number. */
const BARE_NAME_WITH_PORT = /(?<![\w.-])[a-z][a-z\d-]*:\d{4,5}(?!\w)/gi;
/** Matches a host as Python's HTTP clients write it. */
const QUOTED_HOST = /\bhost=(['"])[^'"]+\1/g;

/**
 * Removes IP addresses and names of internal hosts from an upstream's text, because proxies name the servers behind
 * them.
 */
export function hideAddresses(text: string): string {
  return text
    .replace(IPV6_LIKE, hideIpv6)
    .replace(IPV4, HIDDEN)
    .replace(QUOTED_HOST, `host=$1${HIDDEN}$1`)
    .replace(INTERNAL_NAME, HIDDEN)
    .replace(NAME_WITH_PORT, HIDDEN)
    .replace(BARE_NAME_WITH_PORT, HIDDEN);
}

/** Replaces an IPv6 address, which may have a zone, brackets and a port; returns other text unchanged. */
function hideIpv6(found: string): string {
  const bare = found.replace(/%\w+/, '').replace(/^\[([^\]]*)\](?::\d+)?$/, '$1');
  if (isIPv6(bare)) return HIDDEN;
  const end = /(?:[.:]|:\d+)$/.exec(bare)?.[0] ?? '';
  const isAddress = end !== '' && isIPv6(bare.slice(0, -end.length));
  return isAddress ? HIDDEN + (/\d/.test(end) ? '' : end) : found;
}
