/** Sends generations to a Snowflake table of the customer. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { deliver } from './create-http-adapter.ts';
import type { Delivery } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import type { Batch, DestinationAdapter, AnswerClass, SendDeps, SendOutcome } from './destination-adapter.ts';
import type { ToolAnswer } from './exchange.ts';
import { classifyStatus, pause } from './classify-answer.ts';
import { hasValidNames, insertStatement } from './snowflake-statement.ts';
import { stableUuid } from './stable-uuid.ts';

type Config = DestinationConfigs['snowflake'];

const POLL_EVERY_MS = 500;
/** The longest wait for a statement, in answer timeouts. A repeated request finds the same statement. */
const ANSWERS_TO_WAIT = 4;

const PAUSES: Record<number, string> = {
  401: 'Snowflake does not accept the token; it may have expired, or its user may lack a network policy',
  403: 'Snowflake does not let the token in; its user needs a network policy that allows this address',
};

/** Codes of SQL errors that every batch would cause: a missing or hidden object, a privilege, a warehouse, a column. */
const CONFIGURATION_CODES = new Set(['000606', '000904', '002003', '002043', '003001', '090105', '390201']);

/**
 * Inserts rows over Snowflake's SQL API. A statement may outlast an answer, so it is submitted as asynchronous and
 * polled until it ends. Every repetition of a batch has the same request id, so that Snowflake runs it once. Names of
 * databases, schemas, tables and warehouses are case-sensitive here.
 */
export const snowflake: DestinationAdapter<Config> = {
  limits: DEFAULT_LIMITS,
  async send(batch, config, deps, signal) {
    if (!hasValidNames(config)) {
      return { kind: 'pause', reason: 'A name of the configuration is not valid.', status: null, bytes: 0 };
    }
    const statements = statementsUrl(config);
    const submitted = await run({ batch, config, deps, signal }, statements);
    if (!('handle' in submitted)) return submitted;
    return { ...(await awaitEnd(submitted, { batch, config, deps, signal })), bytes: submitted.bytes };
  },
};

interface Sending {
  batch: Batch;
  config: Config;
  deps: SendDeps;
  signal: AbortSignal;
}

/** A statement that is still running. */
type Running = SendOutcome & { handle: string };

/** Submits the batch, or polls the statement at `url` when there is a handle. */
async function run(sending: Sending, url: string, handle?: string): Promise<SendOutcome | Running> {
  const { batch, config, deps, signal } = sending;
  let running: string | undefined;
  const classify = (answer: ToolAnswer, nowMs: number) => {
    running = answer.status === 202 ? (handleOf(answer) ?? handle) : undefined;
    return classifyStatement(answer, nowMs);
  };
  const requestId = stableUuid(`${batch.destinationId}/${batch.id}`);
  const request: Delivery['request'] =
    handle === undefined
      ? {
          url: `${url}?requestId=${requestId}&retry=true&async=true`,
          headers: { ...headersOf(config), 'content-type': 'application/json' },
          body: insertStatement(batch.spans, config, deps.encoder),
        }
      : { url: `${url}/${handle}`, method: 'GET', headers: headersOf(config) };
  const outcome = await deliver({ config, request, limits: DEFAULT_LIMITS, classify }, deps, signal);
  return running === undefined ? outcome : { ...outcome, handle: running };
}

async function awaitEnd(submitted: Running, sending: Sending): Promise<SendOutcome> {
  const { deps, config, signal } = sending;
  const endMs = performance.now() + ANSWERS_TO_WAIT * deps.timeoutMs;
  for (let pauseMs = 0; performance.now() < endMs; pauseMs = POLL_EVERY_MS) {
    await wait(Math.min(pauseMs, deps.timeoutMs), undefined, { signal });
    const outcome = await run(sending, statementsUrl(config), submitted.handle);
    if (!('handle' in outcome)) return outcome;
  }
  const { handle: _, ...outcome } = submitted;
  return outcome;
}

function statementsUrl({ account }: Config): string {
  // Certificates do not cover names with underscores; Snowflake serves the same account with hyphens.
  const host = account.toLowerCase().replaceAll('_', '-');
  return `https://${host}.snowflakecomputing.com/api/v2/statements`;
}

function headersOf({ token }: Config): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
  };
}

function classifyStatement(answer: ToolAnswer, nowMs: number): AnswerClass {
  const { status } = answer;
  if (status === 202) {
    return { kind: 'retry', reason: 'Snowflake still runs the statement (202).', isServerError: false };
  }
  const reason = PAUSES[status];
  if (reason !== undefined) return pause(reason, status);
  if (status !== 422) return classifyStatus(answer, nowMs);
  const code = fieldOf(answer, 'code');
  return code !== undefined && CONFIGURATION_CODES.has(code)
    ? { kind: 'pause', reason: `Snowflake cannot insert into the table (code ${code}).` }
    : { kind: 'bad', reason: `Snowflake refuses the statement (code ${code ?? 'unknown'}).` };
}

/** Returns the statement's handle, which becomes a part of a URL. No other URL of an answer is used. */
function handleOf(answer: ToolAnswer): string | undefined {
  const handle = fieldOf(answer, 'statementHandle');
  return handle !== undefined && /^[\w-]{1,64}$/.test(handle) ? handle : undefined;
}

function fieldOf({ body }: ToolAnswer, name: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(body.toString('utf8')) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
