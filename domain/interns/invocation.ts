/** A statement that a user asks an intern's daemon for something, which Sluice signs. */
export interface Invocation {
  /** In lower case. */
  internId: string;
  /** Unix seconds at which it is signed. */
  timestamp: number;
  /** The identity subject of the key that asked. */
  user: string;
  /** Lower-case hex SHA-256 of the bytes that the daemon will receive. */
  bodySha256: string;
}

/**
 * Returns the text that is signed. A line break ends each part, and no part can hold one, so different invocations never
 * have the same text. `examples/verify-invocation` builds the same text.
 */
export function invocationText({ internId, timestamp, user, bodySha256 }: Invocation): string {
  return `svc-invoke-v1\n${internId}\n${timestamp}\n${user}\n${bodySha256}`;
}

/** Returns whether a proof may name this user: 1 to 255 visible ASCII characters, which a header can carry as they are. */
export function isInvocationUser(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}
