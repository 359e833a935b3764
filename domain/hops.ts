/** Counts how often a request has passed this gateway, by the marks in a header of outgoing requests. */
import { AppError } from './errors.ts';

/** The header of outgoing requests: one mark for each gateway that the request has passed, separated by commas. */
export const HOPS_HEADER = 'sluice-hops';

/** The number of times that a request may pass this gateway and come back to it. */
const MAX_PASSES = 2;
/** The most marks that are passed on. The last ones count: a loop repeats them. */
const MAX_HOPS = 32;

const MARK = /^[\w-]{1,64}$/;

/**
 * Returns the value of the header for the requests that follow from one. `received` is the header of that request, and
 * `marks` are this gateway's own: it adds the first and recognizes all. Throws 508 for a request in a loop.
 */
export function passOnHops(received: string | undefined, marks: readonly [string, ...string[]]): string {
  const [own] = marks;
  if (received === undefined) return own;
  const hops = received.split(',').map((hop) => hop.trim());
  if (hops.filter((hop) => marks.includes(hop)).length > MAX_PASSES) throw new AppError('loop_detected');
  return [...hops.filter((hop) => MARK.test(hop)).slice(-MAX_HOPS), own].join(', ');
}
