import { Agent, buildConnector, Dispatcher } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * No connection could be made (refused, unknown name, bad certificate, timeout), so certainly no byte of the
 * request left. Only connecting throws it; everything later is an unknown outcome.
 */
export class NotConnectedError extends Error {
  constructor(cause: Error) {
    super('no connection could be made', { cause });
    this.name = 'NotConnectedError';
  }
}

/**
 * The connections to all configured vendors. Their base URLs come from the operator and are trusted; whatever
 * else a customer or a vendor names goes through the outbound guard instead.
 */
export function createProviderDispatcher(): Dispatcher {
  return new ProviderDispatcher();
}

/**
 * Connections are kept alive and used again, except by POST: a vendor may close an idle connection in the
 * very moment that it is used again, and of a paid submission nobody could then say whether it arrived. A POST
 * that says it is `idempotent` may be asked again and uses them too; so do chat and embeddings, where a handshake
 * each would cost more than all the rest.
 *
 * There are as many connections to a vendor as exchanges at once: streams are open for minutes, and one must not
 * wait for another. What limits them is the API's own limit.
 */
class ProviderDispatcher extends Dispatcher {
  readonly #kept = new Agent({ connect });
  readonly #fresh = new Agent({ connect, pipelining: 0 });

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const repeatable = options.idempotent ?? options.method !== 'POST';
    return (repeatable ? this.#kept : this.#fresh).dispatch(options, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.#kept.close(), this.#fresh.close()]);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

const connectSocket = buildConnector({ timeout: CONNECT_TIMEOUT_MS });

const connect: buildConnector.connector = (options, callback) => {
  connectSocket(options, (error, socket) => {
    if (error === null) callback(null, socket);
    else callback(new NotConnectedError(error), null);
  });
};
