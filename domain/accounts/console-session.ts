/** Defines the sessions of the console, in which a browser acts with a key that it does not keep. */

/** A session, without its token. */
export interface ConsoleSession {
  id: string;
  /** Lower-case hex SHA-256 of the key that opened it. */
  keyHash: string;
  expiresAt: Date;
}

/** The lifetime of a session, and the time in which a link can open one. */
export const SESSION_MS = 12 * 3_600_000;
export const SIGN_IN_LINK_MS = 15 * 60_000;
