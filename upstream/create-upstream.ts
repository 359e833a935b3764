/** Creates the local upstream: a small model vendor on OpenAI's wire that needs no account. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnswerOptions, answerRequest } from './answer-request.ts';
import type { CannedAnswers } from './canned-answer.ts';
import { CANNED_CHAT } from './chat/canned-chat.ts';
import { CHAT_PATH, createChatCapability } from './chat/chat-capability.ts';
import { createControlRoutes, parseFaults } from './control.ts';
import { createEmbeddingsCapability } from './embeddings/embeddings-capability.ts';
import { createFaultQueue, type FaultInput } from './faults.ts';
import { createModelListRoute } from './model-list.ts';
import { createMessagesCapability } from './messages/messages-capability.ts';
import { jsonReply } from './reply.ts';
import { CANNED_IMAGES, IMAGES_PATH } from './images/canned-image.ts';
import { createImagesCapability } from './images/images-capability.ts';
import { createRerankCapability } from './rerank/rerank-capability.ts';
import { createRequestLog, type LoggedRequest } from './request-log.ts';
import type { Route } from './route.ts';
import { CANNED_SPEECH, SPEECH_PATH } from './speech/canned-speech.ts';
import { createSpeechCapability } from './speech/speech-capability.ts';
import { createVideoCapability } from './videos/video-capability.ts';

export interface UpstreamOptions {
  /** The only accepted bearer key. */
  apiKey: string;
  /** Absent: `127.0.0.1`, which other machines cannot reach. */
  host?: string;
  /** The most renders that may wait; further ones are refused with 429. */
  maxWaitingRenders?: number;
  /** Receives errors of the upstream itself, which callers see as a bare 500. */
  onError?(error: unknown): void;
}

export interface Upstream {
  /** Listens on a port; 0 takes a free one. `baseUrl` is for OpenAI clients: it ends in `/v1`. */
  listen(port: number): Promise<{ url: string; baseUrl: string }>;
  /** The functions of `/control`, for tests in the same process. */
  addFaults(...faults: FaultInput[]): void;
  clearFaults(): void;
  requests(target?: string): LoggedRequest[];
  /** Closes every connection and stops rendering. */
  close(): Promise<void>;
}

const LOGGED_REQUESTS = 10_000;

/** Creates a small model vendor on OpenAI's wire. It needs no account and makes real files. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { host = '127.0.0.1', maxWaitingRenders = 100 } = options;
  const faults = createFaultQueue();
  const log = createRequestLog(LOGGED_REQUESTS);
  const capabilities = [
    createVideoCapability(faults, maxWaitingRenders),
    createChatCapability(),
    createMessagesCapability(),
    createEmbeddingsCapability(),
    createSpeechCapability(),
    createRerankCapability(),
    createImagesCapability(),
  ];
  const routes: Route[] = [
    { method: 'GET', path: '/healthz', keyless: true, handle: () => jsonReply(200, { status: 'ok' }) },
    createModelListRoute(),
    ...createControlRoutes(faults, log),
    ...capabilities.flatMap((capability) => capability.routes),
  ];

  const answer = { apiKey: options.apiKey, routes, faults, log, onError: options.onError ?? (() => {}) };
  const server = createServer(createListener(answer));

  return {
    async listen(port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, host, resolve);
      });
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const url = `http://${host}:${bound}`;
      return { url, baseUrl: `${url}/v1` };
    },
    addFaults: (...added) => faults.add(parseFaults(added)),
    clearFaults: () => faults.clear(),
    requests: (target) => log.list({ target }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, ...capabilities.map((capability) => capability.close?.())]);
    },
  };
}

/** The canned answers by path. */
const CANNED = new Map<string | undefined, CannedAnswers>([
  [CHAT_PATH, CANNED_CHAT],
  [IMAGES_PATH, CANNED_IMAGES],
  [SPEECH_PATH, CANNED_SPEECH],
]);

/** The largest body of a request for a canned model. */
const MAX_CANNED_BYTES = 1024 ** 2;

/**
 * Creates the listener of the server. Requests for a canned model are answered while no fault is queued, without route,
 * parsed body or promise, so that benchmarks of the gateway do not measure this server. Their bodies are collected by
 * hand for the same reason.
 */
function createListener(answer: AnswerOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const authorization = `Bearer ${answer.apiKey}`;
  const answerAny = (request: IncomingMessage, response: ServerResponse, body?: Buffer): void => {
    answerRequest(answer, request, response, body).catch(() => response.destroy());
  };
  return (request, response) => {
    const { method, url, headers } = request;
    const canned = CANNED.get(url);
    const mayBeCanned =
      method === 'POST' &&
      canned !== undefined &&
      headers.authorization === authorization &&
      Number(headers['content-length']) <= MAX_CANNED_BYTES &&
      !answer.faults.hasFaultFor(canned.target);
    if (!mayBeCanned) return answerAny(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      const reply = canned.answerTo(body);
      if (reply === undefined) return answerAny(request, response, body);
      answer.log.begin({ method, path: url ?? '', target: canned.target, hasKey: true }).outcome = 200;
      response.writeHead(200, reply.headers).end(reply.body);
    });
  };
}
