import { CHATS, type ChatClients, startChatClients } from '../support/chat-clients.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type JobClients, startJobClients } from './job-clients.ts';

const LIVE_CLIENTS = 9;
const LIVE_PAUSE_MS = 50;
const JOB_EVERY_MS = 500;
const EMBEDDINGS = { path: '/embeddings', body: { model: 'local/embed-1', input: 'The river rose.' } };

/** Chats, streamed chats, embeddings and video jobs with webhooks, all at once. */
export interface Load {
  live: ChatClients;
  jobs: JobClients;
  /** The ids of all webhooks that have arrived. */
  webhookIds(): string[];
  /** Sends nothing new, and resolves when every job under way is accepted. */
  stop(): Promise<void>;
  close: Receiver['close'];
}

export async function startLoad({ origin, apiKey }: { origin: string; apiKey: string }): Promise<Load> {
  const receiver = await startReceiver();
  const live = startChatClients({
    clients: LIVE_CLIENTS,
    origin: () => origin,
    apiKey,
    requests: [...CHATS, EMBEDDINGS],
    pauseMs: LIVE_PAUSE_MS,
  });
  const jobs = startJobClients({ origin, apiKey, callbackUrl: receiver.url, everyMs: JOB_EVERY_MS });
  return {
    live,
    jobs,
    webhookIds: () => receiver.received.map(({ headers }) => String(headers['webhook-id'])),
    async stop() {
      await Promise.all([live.stop(), jobs.stop()]);
    },
    close: receiver.close,
  };
}
