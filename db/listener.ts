import type pg from 'pg';
import { createSession } from './session.ts';

export interface ListenerOptions {
  /** A direct connection: a transaction pooler does not support LISTEN. */
  url: string;
  channels: string[];
  onNotice(channel: string, payload: string): void;
  /** Called at each new connection, because notices may have been missed. */
  onConnected(): void;
  /** Called when the connection is lost; `onConnected` follows later. */
  onLost(error: unknown): void;
  retryMs?: number;
}

export interface Listener {
  isConnected(): boolean;
  /**
   * Returns the time, in milliseconds since 1970, up to which all notices have arrived; -Infinity before the first
   * connection.
   */
  heardUntilMs(): number;
  close(): Promise<void>;
}

/** The interval and the timeout of the connection's heartbeat, which detects a silent loss. */
const BEAT_EVERY_MS = 2_000;
const SILENCE_MS = 3_000;

/** Keeps one connection on LISTEN and reconnects after every loss. It never throws; `onLost` receives losses. */
export function createListener(options: ListenerOptions): Listener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let connected = false;
  let closed = false;
  let heardUntilMs = -Infinity;

  const lose = (failed: pg.Client, error: unknown): void => {
    if (client !== failed) return;
    client = undefined;
    connected = false;
    clearTimeout(timer);
    failed.end().catch(() => {});
    if (closed) return;
    options.onLost(error);
    timer = setTimeout(connect, options.retryMs ?? 1_000);
  };

  /** Repeats LISTEN, which changes nothing and shows that the server answers. */
  const beat = (living: pg.Client): void => {
    timer = setTimeout(() => {
      const sentAtMs = Date.now();
      listen(living, options.channels).then(
        () => {
          if (client !== living) return;
          // Postgres sends notices before the answer to a later statement.
          heardUntilMs = sentAtMs;
          beat(living);
        },
        (error: unknown) => lose(living, error),
      );
    }, BEAT_EVERY_MS);
  };

  const connect = (): void => {
    const next = createSession({
      url: options.url,
      applicationName: 'sluice-listener',
      connectMs: 5_000,
      silenceMs: SILENCE_MS,
    });
    client = next;
    next.on('error', (error) => lose(next, error));
    next.on('end', () => lose(next, new Error('connection ended')));
    next.on('notification', ({ channel, payload }) => options.onNotice(channel, payload ?? ''));
    next
      .connect()
      .then(() => listen(next, options.channels))
      .then(
        () => {
          if (client !== next) return;
          connected = true;
          heardUntilMs = Date.now();
          options.onConnected();
          beat(next);
        },
        (error: unknown) => lose(next, error),
      );
  };

  connect();
  return {
    isConnected: () => connected,
    heardUntilMs: () => heardUntilMs,
    async close() {
      closed = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}

async function listen(client: pg.Client, channels: string[]): Promise<void> {
  for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
}
