const BLOCKED_MESSAGES = {
  invalid_url: 'The URL is not valid',
  scheme_not_allowed: 'The URL must use https',
  insecure_scheme: 'The URL must use https; plain http is not allowed for this host',
  port_not_allowed: 'The URL must use port 443; another port is not allowed for this host',
  userinfo_not_allowed: 'The URL must not contain a user name or password',
  host_not_allowed: 'The URL names a host that is not allowed',
  address_not_allowed: 'The URL leads to an address that is not allowed',
  own_address: 'The URL leads to this gateway’s own address',
  too_many_redirects: 'The URL redirects too often',
};

/** The reason why a URL was refused. It is stable: stored with webhook attempts and shown in `metadata.reason`. */
export type OutboundBlockedReason = keyof typeof BLOCKED_MESSAGES;

/**
 * The guard refused a URL. The message may be shown to the customer: it never holds a resolved address. No byte of the
 * refused request was sent, although earlier hops of a redirect may have been.
 */
export class OutboundBlockedError extends Error {
  readonly reason: OutboundBlockedReason;

  constructor(reason: OutboundBlockedReason) {
    super(BLOCKED_MESSAGES[reason]);
    this.name = 'OutboundBlockedError';
    this.reason = reason;
  }
}

/** The exchange, including its body, took longer than `timeoutMs`. It is unknown whether the request arrived. */
export class OutboundTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The endpoint did not finish answering within ${timeoutMs} ms`);
    this.name = 'OutboundTimeoutError';
  }
}

/** The body is longer than `maxResponseBytes`. */
export class OutboundResponseTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The endpoint's answer is longer than ${maxBytes} bytes`);
    this.name = 'OutboundResponseTooLargeError';
  }
}

/**
 * The network failed. The message contains only the error code. The cause is the original error, which may name a
 * resolved address, so it is only logged.
 */
export class OutboundNetworkError extends Error {
  /** Node's or undici's code: `ECONNREFUSED`, `ENOTFOUND`, `ECONNRESET`, `UND_ERR_SOCKET`… */
  readonly code: string;
  /** False only if certainly no byte of the request left this process. */
  readonly sent: boolean;

  constructor(cause: unknown, facts: { sent: boolean }) {
    const code = errorCode(cause);
    super(`${facts.sent ? 'The connection was lost' : 'The endpoint could not be reached'} (${code})`, {
      cause,
    });
    this.name = 'OutboundNetworkError';
    this.code = code;
    this.sent = facts.sent;
  }
}

/** Converts errors of the network layer to OutboundNetworkError; the guard's own errors stay as they are. */
export function toOutboundError(error: unknown, facts: { sent: boolean }): Error {
  if (
    error instanceof OutboundBlockedError ||
    error instanceof OutboundTimeoutError ||
    error instanceof OutboundResponseTooLargeError ||
    error instanceof OutboundNetworkError
  ) {
    return error;
  }
  // undici rejects a malformed header or method before it opens a socket.
  const malformed = errorCode(error) === 'UND_ERR_INVALID_ARG';
  return new OutboundNetworkError(error, { sent: facts.sent && !malformed });
}

function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
