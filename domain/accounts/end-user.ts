/** The longest tracking string, in Unicode code points. */
export const MAX_TRACKING_LENGTH = 512;

/**
 * Matches Unicode whitespace at either end. `trim` differs: it also removes U+FEFF, which is not whitespace, and keeps
 * U+0085.
 */
const OUTER_WHITESPACE = /^\p{White_Space}|\p{White_Space}$/u;

/** Returns whether the text begins or ends with whitespace. Tracking strings do not. */
export function hasOuterWhitespace(text: string): boolean {
  return OUTER_WHITESPACE.test(text);
}

/**
 * Returns the tracking string that a request names as its user, or null. Text with whitespace around it is not a
 * tracking string. Length and characters were checked before.
 */
export function trackingStringOf(user: string | null | undefined): string | null {
  return user === undefined || user === null || user === '' || hasOuterWhitespace(user) ? null : user;
}

/** An end user of a customer, under the customer's own name for them. */
export interface EndUser {
  /** The tracking string; never changes. */
  externalUser: string;
  /** Shown to the customer only; it does not affect requests. */
  isActive: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Returns whether a path can name the user. Clients and proxies rewrite paths with the segments `.` and `..`. */
export function isAddressable(user: string): boolean {
  return user !== '.' && user !== '..';
}
