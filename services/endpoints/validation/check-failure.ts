import type { Check } from '../../../domain/endpoints/validation.ts';
import { ProviderError, type ProviderErrorCode } from '../../../domain/provider-error.ts';
import { OutboundBlockedError, OutboundNetworkError } from '../../../platform/outbound-error.ts';
import { NotConnectedError } from '../../../providers/provider-connection.ts';
import { hideAddresses } from './hide-addresses.ts';

/** Why a check failed, without its name. */
export type CheckFailure = Omit<Check, 'name' | 'passed'> & Required<Pick<Check, 'reason'>>;

const MAX_MESSAGE_BYTES = 1_024;

/** The ends of a stream that began as a success: it is cut off, silent, endless or no stream at all. */
const STREAM_ENDS = new Set<ProviderErrorCode>(['connection_lost', 'timeout', 'aborted', 'invalid_response']);

/** The words of resolvers for a name that has no address. */
const NAME_ERRORS = /^(?:ENOTFOUND|ENODATA|ENONAME|EBADNAME|ESERVFAIL|EAI_\w+)$/;

/** Returns what a failed call says about the upstream. Throws the error again if it is not a ProviderError. */
export function failureOf(error: unknown): CheckFailure {
  if (!(error instanceof ProviderError)) throw error;
  const { code, status, vendorMessage } = error;
  const said = vendorMessage === undefined ? '' : fitToShow(vendorMessage);
  return {
    reason: code === 'invalid_response' ? 'invalid_response' : 'upstream_error',
    ...(said === '' ? {} : { upstreamMessage: said }),
    ...(status === undefined ? {} : { upstreamStatus: status }),
  };
}

/**
 * Returns what a failed call that asked for a stream says about the upstream. A stream that began and broke has a reason of
 * its own.
 */
export function streamFailureOf(error: unknown): CheckFailure {
  const failure = failureOf(error);
  const { code, status = 200 } = error as ProviderError;
  return STREAM_ENDS.has(code) && status < 300 ? { reason: 'invalid_stream' } : failure;
}

/**
 * Returns whether the guard refused every way to the host. A name without an address counts as well, so that the answer
 * does not tell which names exist in the network of the gateway.
 */
export function isAddressRefusal(error: unknown): boolean {
  const connecting = error instanceof ProviderError ? error.cause : undefined;
  const cause = connecting instanceof NotConnectedError ? connecting.cause : connecting;
  if (cause instanceof OutboundBlockedError) return true;
  return cause instanceof OutboundNetworkError && NAME_ERRORS.test(cause.code);
}

/** Returns a vendor's message without addresses and cut to the longest one that is shown. URLs are gone already. */
function fitToShow(text: string): string {
  const clean = hideAddresses(text);
  const bytes = Buffer.from(clean);
  if (bytes.length <= MAX_MESSAGE_BYTES) return clean;
  // A character that was cut in two is left out.
  return bytes.subarray(0, MAX_MESSAGE_BYTES).toString('utf8').replace(/�+$/, '');
}
