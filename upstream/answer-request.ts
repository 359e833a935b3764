/** Handles each request to the local upstream: routes it, checks its key, applies faults and logs it. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultQueue } from './faults.ts';
import { applyFault } from './apply-fault.ts';
import { deliver, type Outcome } from './outcome.ts';
import { errorReply, UpstreamError } from './reply.ts';
import { describeFields, type LoggedRequest, type RequestLog } from './request-log.ts';
import { createExchange, findRoute, type Route } from './route.ts';

export interface AnswerOptions {
  apiKey: string;
  routes: readonly Route[];
  /** Faults for the next matching requests. */
  faults: FaultQueue;
  log: RequestLog;
  onError(error: unknown): void;
}

/** Answers one request and logs it. Rejects when the client disconnects during the answer. */
export async function answerRequest(
  options: AnswerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  body?: Buffer,
): Promise<void> {
  const disconnected = new AbortController();
  const url = new URL(request.url ?? '/', 'http://upstream');
  const found = findRoute(options.routes, request.method, url.pathname.replace(AZURE, '/v1/'));
  const entry = options.log.begin(describe(request, found?.route));
  response.once('close', () => {
    if (!response.writableFinished) entry.brokenOff = true;
    disconnected.abort();
  });
  const outcome = await decide(options, {
    request,
    url,
    found,
    entry,
    disconnected: disconnected.signal,
    body,
  });
  entry.outcome = outcome.kind === 'reply' ? outcome.reply.status : outcome.kind;
  await deliver(outcome, response);
}

interface Arrival {
  request: IncomingMessage;
  url: URL;
  found: ReturnType<typeof findRoute>;
  entry: LoggedRequest;
  disconnected: AbortSignal;
  body: Buffer | undefined;
}

async function decide(options: AnswerOptions, arrival: Arrival): Promise<Outcome> {
  const { request, url, found, entry, disconnected } = arrival;
  try {
    if (found === undefined) throw new UpstreamError(404, `Unknown path: ${url.pathname}`);
    const { route, params } = found;
    if (route.keyless !== true) checkKey(credentialOf(request), options.apiKey);
    const exchange = createExchange(request, url, params, arrival.body);
    if (request.method === 'POST') entry.fields = describeFields(await exchange.fields());
    const own = await route.faults?.(exchange);
    const fault =
      route.target && (own?.takeForRequest(route.target) ?? options.faults.takeForRequest(route.target));
    return await applyFault(fault, async () => route.handle(exchange), disconnected);
  } catch (error) {
    if (!(error instanceof UpstreamError) && !disconnected.aborted) options.onError(error);
    return { kind: 'reply', reply: errorReply(error) };
  }
}

function describe(request: IncomingMessage, route: Route | undefined): Omit<LoggedRequest, 'at'> {
  const requestId = request.headers['x-client-request-id'];
  const idempotencyKey = request.headers['idempotency-key'];
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    hasKey: credentialOf(request) !== undefined,
    target: route?.target,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
  };
}

/** Matches Azure's paths: those for all deployments, and those of one deployment with the API version in the query. */
const AZURE = /^\/openai\/(?:v1|deployments\/[^/]+)\//;

/** Throws UpstreamError unless the header carries the key as a bearer token. */
export function checkKey(authorization: string | undefined, apiKey: string): void {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
  const expected = Buffer.from(apiKey);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new UpstreamError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' });
}

/** Returns the credential. Clients of Anthropic's and Azure's wires send it in a header of their own. */
function credentialOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'] ?? headers['api-key'];
  return headers.authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}
