import { isIPv6 } from 'node:net';

const HIDDEN = '[address]';

/** Last labels of names that lead to no public host. */
const INTERNAL = 'internal|intranet|local|localdomain|localhost|lan|svc';

const IPV6_LIKE = /(?<![\w.:])\[?[\da-f]*:[\da-f:.]*(?:%\w+)?\]?(?::\d+)?/gi;
const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g;
const INTERNAL_NAME = new RegExp(
  String.raw`(?<![\w.-])(?:localhost|(?:[\w-]+\.)+(?:${INTERNAL})(?:\.[\w-]+)*)(?::\d+)?(?![\w-])`,
  'gi',
);
/** A name with dots and a port. */
const NAME_WITH_PORT = /(?<![\w.-])(?:[a-z\d-]+\.)+[a-z]{2,}:\d{2,5}(?!\w)/gi;
/** A name without a dot and a port that is long enough to be no status and no number of a line. */
const BARE_NAME_WITH_PORT = /(?<![\w.-])[a-z][a-z\d-]*:\d{4,5}(?!\w)/gi;
/** The way in which Python's HTTP clients name a host. */
const QUOTED_HOST = /\bhost=(['"])[^'"]+\1/g;

/** Removes IP addresses and names of internal hosts from what an upstream says: proxies name the servers behind them. */
export function hideAddresses(text: string): string {
  return text
    .replace(IPV6_LIKE, hideIpv6)
    .replace(IPV4, HIDDEN)
    .replace(QUOTED_HOST, `host=$1${HIDDEN}$1`)
    .replace(INTERNAL_NAME, HIDDEN)
    .replace(NAME_WITH_PORT, HIDDEN)
    .replace(BARE_NAME_WITH_PORT, HIDDEN);
}

/** Replaces text that is an address of IPv6, whose zone, brackets and port are left out of the test; keeps other text. */
function hideIpv6(found: string): string {
  const bare = found.replace(/%\w+/, '').replace(/^\[([^\]]*)\](?::\d+)?$/, '$1');
  if (isIPv6(bare)) return HIDDEN;
  const end = /(?:[.:]|:\d+)$/.exec(bare)?.[0] ?? '';
  const isAddress = end !== '' && isIPv6(bare.slice(0, -end.length));
  return isAddress ? HIDDEN + (/\d/.test(end) ? '' : end) : found;
}
