/** spec.md "Registered end user". In characters, which are code points. */
export const MAX_TRACKING_LENGTH = 512;

/** Unicode's whitespace. JavaScript's own `trim` takes U+FEFF for it, which is none, and not U+0085. */
const OUTER_WHITESPACE = /^\p{White_Space}|\p{White_Space}$/u;

/** Returns whether the text begins or ends with whitespace, which a tracking string does not. */
export function hasOuterWhitespace(text: string): boolean {
  return OUTER_WHITESPACE.test(text);
}

/**
 * Returns the tracking string that a request names as its user; null for none and for one that is no tracking string, such as
 * one with whitespace around it. Its length and characters are checked already.
 */
export function trackingStringOf(user: string | null | undefined): string | null {
  return user === undefined || user === null || user === '' || hasOuterWhitespace(user) ? null : user;
}

/** Somebody whom a customer serves, by the customer's own name for them. */
export interface EndUser {
  /** The tracking string; never changes. */
  user: string;
  /** Says nothing about what requests may do. */
  isActive: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Paths with these segments are rewritten by clients and proxies before they arrive: no path names such a user. */
export function isAddressable(user: string): boolean {
  return user !== '.' && user !== '..';
}
