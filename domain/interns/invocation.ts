/** A statement, signed by Sluice, that a user invokes an intern's daemon. */
export interface Invocation {
  /** The intern's id in lower case. */
  internId: string;
  /** The Unix seconds of the signature. */
  timestamp: number;
  /** The identity subject of the calling key. */
  user: string;
  /** Lower-case hex SHA-256 of the bytes that the daemon will receive. */
  bodySha256: string;
}

/**
 * Returns the text to sign. Line breaks separate the parts, and no part can contain one, so different invocations never
 * have the same text. `examples/verify-invocation` builds the same text.
 */
export function invocationText({ internId, timestamp, user, bodySha256 }: Invocation): string {
  return `svc-invoke-v1\n${internId}\n${timestamp}\n${user}\n${bodySha256}`;
}

/** Returns whether a proof may name this user: 1 to 255 visible ASCII characters, which fit into a header. */
export function isInvocationUser(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}
