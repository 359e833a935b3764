/** Listens for notices of Postgres, by which processes report changes to each other. */
import type pg from 'pg';
import { createSession } from './session.ts';

export interface ListenerOptions {
  /** The URL of Postgres itself, because a transaction pooler drops LISTEN. */
  url: string;
  channels: string[];
  onNotice(channel: string, payload: string): void;
  /** Called after each connect, because notices may have been missed. */
  onConnected(): void;
  /** Called when the connection is lost; `onConnected` follows later. */
  onLost(error: unknown): void;
  retryMs?: number;
}

export interface Listener {
  isConnected(): boolean;
  /**
   * Returns the time (milliseconds since 1970) up to which all notices have arrived; -Infinity before the first
   * connection.
   */
  heardUntilMs(): number;
  close(): Promise<void>;
}

/**
 * The interval of the heartbeat, and the time within which its answer must arrive. Nothing else uses the connection.
 */
const BEAT_EVERY_MS = 2_000;
const SILENCE_MS = 3_000;

interface Listening {
  options: ListenerOptions;
  client: pg.Client | undefined;
  timer: NodeJS.Timeout | undefined;
  connected: boolean;
  closed: boolean;
  heardUntilMs: number;
}

/**
 * Keeps one connection that listens on the channels, and reconnects after every loss. Never throws; `onLost` is called
 * for each loss.
 */
export function createListener(options: ListenerOptions): Listener {
  const listening: Listening = {
    options,
    client: undefined,
    timer: undefined,
    connected: false,
    closed: false,
    heardUntilMs: -Infinity,
  };

  connect(listening);
  return {
    isConnected: () => listening.connected,
    heardUntilMs: () => listening.heardUntilMs,
    async close() {
      listening.closed = true;
      clearTimeout(listening.timer);
      const last = listening.client;
      listening.client = undefined;
      await last?.end().catch(() => {});
    },
  };
}

function lose(listening: Listening, failed: pg.Client, error: unknown): void {
  if (listening.client !== failed) return;
  listening.client = undefined;
  listening.connected = false;
  clearTimeout(listening.timer);
  failed.end().catch(() => {});
  if (listening.closed) return;
  listening.options.onLost(error);
  listening.timer = setTimeout(() => connect(listening), listening.options.retryMs ?? 1_000);
}

/** Repeats LISTEN, which changes nothing and shows that the server answers. */
function beat(listening: Listening, living: pg.Client): void {
  listening.timer = setTimeout(() => {
    const sentAtMs = Date.now();
    listen(living, listening.options.channels).then(
      () => {
        if (listening.client !== living) return;
        // Postgres sends notices before the answer to a later statement, so all earlier ones have arrived.
        listening.heardUntilMs = sentAtMs;
        beat(listening, living);
      },
      (error: unknown) => lose(listening, living, error),
    );
  }, BEAT_EVERY_MS);
}

function connect(listening: Listening): void {
  const next = createSession({
    url: listening.options.url,
    applicationName: 'sluice-listener',
    connectMs: 5_000,
    silenceMs: SILENCE_MS,
  });
  listening.client = next;
  next.on('error', (error) => lose(listening, next, error));
  next.on('end', () => lose(listening, next, new Error('connection ended')));
  next.on('notification', ({ channel, payload }) => listening.options.onNotice(channel, payload ?? ''));
  next
    .connect()
    .then(() => listen(next, listening.options.channels))
    .then(
      () => {
        if (listening.client !== next) return;
        listening.connected = true;
        listening.heardUntilMs = Date.now();
        listening.options.onConnected();
        beat(listening, next);
      },
      (error: unknown) => lose(listening, next, error),
    );
}

/** Listens on all channels by one message, so that no caller meets a session that listens on some of them only. */
async function listen(client: pg.Client, channels: string[]): Promise<void> {
  await client.query(channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`).join('; '));
}
