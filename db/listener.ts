import type pg from 'pg';
import { createSession } from './session.ts';

export interface ListenerOptions {
  /** The URL of Postgres itself: a transaction pooler drops LISTEN. */
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
  /** Returns the time up to which all notices have arrived, in milliseconds since 1970; -Infinity before the first connection. */
  heardUntilMs(): number;
  close(): Promise<void>;
}

/** The interval of the heartbeat, and the time within which its answer must arrive. Nothing else uses the connection. */
const BEAT_EVERY_MS = 2_000;
const SILENCE_MS = 3_000;

/** Keeps one connection on LISTEN and reconnects after every loss. Never throws; `onLost` gets the errors. */
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

  /** Repeats LISTEN as a heartbeat: it changes nothing, and only a running server answers it. */
  const beat = (living: pg.Client): void => {
    timer = setTimeout(() => {
      const sentAtMs = Date.now();
      listen(living, options.channels).then(
        () => {
          if (client !== living) return;
          // Postgres sends earlier notices before its answer.
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
