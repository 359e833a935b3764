import { expect } from '@jest/globals';
import { newUuid } from '../../domain/ids.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import type { LoggedRequest } from '../../upstream/request-log.ts';
import { eventually } from '../support/eventually.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { failureOf } from './text-adapter-under-test.ts';

/** The vendor's log of requests and faults, and a plain request to it. */
type Vendor = Pick<VendorStandIn, 'upstream' | 'call'>;

const FIRST_TIMEOUT_MS = 50;

/** Returns the id of a request that the vendor's log can be searched for. No other request has it. */
export const newRequestId = (): string => `req_${newUuid()}`;

/** Waits until the vendor has read the whole request and decided what becomes of it. */
export function heldBy(vendor: Vendor, requestId: string): Promise<LoggedRequest> {
  return eventually('the vendor to have the request', async () => findDecided(vendor, requestId));
}

/**
 * Expects a timeout of a call that the vendor does not answer; returns the vendor's record of the request. A request
 * that did not reach the vendor in its time, as on a busy machine, is repeated with more time.
 */
export async function timedOut(
  vendor: Vendor,
  fault: FaultInput,
  call: (facts: { requestId: string; timeoutMs: number }) => Promise<unknown>,
): Promise<LoggedRequest> {
  vendor.upstream.addFaults({ ...fault, times: 1_000 });
  return withMoreTime(FIRST_TIMEOUT_MS, async (timeoutMs) => {
    const requestId = newRequestId();
    expect(await failureOf(call({ requestId, timeoutMs }))).toMatchObject({
      code: 'timeout',
      retryable: true,
    });
    // The vendor reads what was sent before this, so that it cannot arrive in the middle of a later test.
    await vendor.call('GET', '/healthz');
    return findDecided(vendor, requestId);
  });
}

/** Waits until the vendor sees that the connection of the request was closed. */
export function closed(request: LoggedRequest): Promise<true> {
  return eventually('the vendor to see the connection close', async () => request.brokenOff);
}

function findDecided({ upstream }: Vendor, requestId: string): LoggedRequest | undefined {
  return upstream
    .requests()
    .find((request) => request.requestId === requestId && request.outcome !== undefined);
}
