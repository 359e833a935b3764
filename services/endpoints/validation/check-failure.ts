/** Translates the error of a validation call into a reason that the customer may see. */
import type { Check } from '../../../domain/endpoints/validation.ts';
import { ProviderError, type ProviderErrorCode } from '../../../domain/provider-error.ts';
import { OutboundBlockedError, OutboundNetworkError } from '../../../platform/outbound-error.ts';
import { NotConnectedError } from '../../../providers/provider-connection.ts';
import { isIPv6 } from 'node:net';

/** The reason for the failure of a check, without the check's name. */
export type CheckFailure = Omit<Check, 'name' | 'passed'> & Required<Pick<Check, 'reason'>>;

const MAX_MESSAGE_BYTES = 1_024;

/**
 * The failures of a stream that began with a success status: it was cut off, stalled, did not end, or was no stream.
 */
const STREAM_ENDS = new Set<ProviderErrorCode>(['connection_lost', 'timeout', 'aborted', 'invalid_response']);

/** Codes of resolvers for a name without an address. */
const NAME_ERRORS = /^(?:ENOTFOUND|ENODATA|ENONAME|EBADNAME|ESERVFAIL|EAI_\w+)$/;

/** Returns the failure of a check whose call failed. Rethrows an error that is no ProviderError. */
export function failureOf(error: unknown): CheckFailure {
  if (!(error instanceof ProviderError)) throw error;
  const { code, status, vendorMessage } = error;
  const message = vendorMessage === undefined ? '' : fitToShow(vendorMessage);
  return {
    reason: code === 'invalid_response' ? 'invalid_response' : 'upstream_error',
    upstreamMessage: message || undefined,
    upstreamStatus: status,
  };
}

/** Returns the failure of the check of streams. A stream that started and broke off has a reason of its own. */
export function streamFailureOf(error: unknown): CheckFailure {
  const failure = failureOf(error);
  const { code, status = 200 } = error as ProviderError;
  return STREAM_ENDS.has(code) && status < 300 ? { reason: 'invalid_stream' } : failure;
}

/**
 * Returns whether the guard refused every address of the host. A name without an address counts too, so that the
 * answer does not reveal which names exist in the gateway's network.
 */
export function isAddressRefusal(error: unknown): boolean {
  const connecting = error instanceof ProviderError ? error.cause : undefined;
  const cause = connecting instanceof NotConnectedError ? connecting.cause : connecting;
  if (cause instanceof OutboundBlockedError) return true;
  return cause instanceof OutboundNetworkError && NAME_ERRORS.test(cause.code);
}

/** Returns a vendor's message without addresses, cut to 1 KiB. URLs were removed before. */
function fitToShow(text: string): string {
  const clean = hideAddresses(text);
  const bytes = Buffer.from(clean);
  if (bytes.length <= MAX_MESSAGE_BYTES) return clean;
  // A character that was cut in two is left out.
  return bytes.subarray(0, MAX_MESSAGE_BYTES).toString('utf8').replace(/�+$/, '');
}

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
