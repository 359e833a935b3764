/** Sends an intern's request to a host, and removes secrets from the headers and the body of the answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundTimeoutError,
} from '../../../platform/outbound-error.ts';
import type { CheckedUrl, OutboundGuard } from '../../../platform/outbound-guard.ts';
import type { AnswerInFlight } from '../../../platform/answers-in-flight.ts';
import { EventStream } from '../../../platform/event-stream.ts';
import type { OutboundStream, ResponseHead } from '../../../platform/outbound-stream.ts';
import type { AnswerMask } from './mask/masks.ts';
import { maskedBody, maskedWhole, passedWhole, PIECE_BYTES } from './masked-body.ts';
import { headersFromHost } from './passed-headers.ts';

const MAX_ANSWER_BYTES = 64 * 1024 ** 2;
/** The longest time that a host may take until the last byte of its answer. */
const TIMEOUT_MS = 5 * 60_000;

export interface EgressAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** The body; absent for a status that has none. */
  body?: Buffer | EventStream;
}

export interface Sending {
  guard: Pick<OutboundGuard, 'open'>;
  url: CheckedUrl;
  /** The path and the query, beginning with a slash. */
  pathAndQuery: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer;
  mask: AnswerMask;
  /** The memory of the answer. */
  memory: AnswerInFlight;
  gone: AbortSignal;
  /** The timeout in milliseconds; five minutes when undefined. */
  timeoutMs: number | undefined;
  /** Called once with the status of the host's answer, or null without an answer, and with the length of the body. */
  end(status: number | null, bytes: number): void;
}

/** Returns the checked URL. Throws a 403 for a URL that the outbound guard refuses before it resolves the host. */
export function checkHost(guard: Pick<OutboundGuard, 'checkedUrl'>, url: URL): CheckedUrl {
  try {
    return guard.checkedUrl(url);
  } catch (error) {
    throw toAppError(error);
  }
}

/** Sends the request and masks the answer. It never repeats a request to the host. */
export async function send({ guard, url, gone, ...request }: Sending): Promise<EgressAnswer> {
  const { method, pathAndQuery, body, timeoutMs = TIMEOUT_MS, end } = request;
  const stream = guard.open(url, {
    method,
    pathAndQuery,
    headers: { ...request.headers, 'accept-encoding': 'identity' },
    body: body.length === 0 ? undefined : body,
    signal: gone,
    timeoutMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  let status: number | null = null;
  try {
    const head = await stream.head;
    status = head.status;
    return maskedAnswer(stream, head, request);
  } catch (error) {
    stream.close();
    end(status, 0);
    throw gone.aborted ? new AppError('client_cancelled') : toAppError(error);
  }
}

/** Masks an answer whose head has arrived. Throws without calling `end` when the answer cannot be passed on. */
function maskedAnswer(
  stream: OutboundStream,
  { status, headers }: ResponseHead,
  { mask, memory, end }: Pick<Sending, 'mask' | 'memory' | 'end'>,
): EgressAnswer {
  const isEmpty = status === 204 || status === 304;
  const refusal = isEmpty ? undefined : refusalOf(status, headers);
  if (refusal !== undefined) throw refusal;
  const passed = headersFromHost(headers, mask);
  const masked = { ...passed, 'sluice-egress': 'forwarded' };
  if (isEmpty) {
    end(status, 0);
    return { status, headers: masked };
  }
  const whole = maskedWhole(stream, mask);
  if (whole !== undefined) {
    const ended = (): void => end(status, whole.receivedBytes);
    // Placeholders can make a short body long. A long body counts as under way until its reader has received it.
    if (whole.body.length > PIECE_BYTES)
      return { status, headers: masked, body: new EventStream(passedWhole(whole.body, memory, ended)) };
    ended();
    return { status, headers: masked, body: whole.body };
  }
  const pieces = maskedBody(stream, mask, memory, (bytes) => end(status, bytes));
  return { status, headers: masked, body: new EventStream(pieces) };
}

/**
 * Returns the error for an answer whose body cannot be passed on according to its status and headers; undefined when it
 * can. A value that is divided between two parts would not be found.
 */
function refusalOf(status: number, headers: IncomingHttpHeaders): AppError | undefined {
  if (status === 206 || /^\s*multipart\//i.test(headers['content-type'] ?? '')) {
    return hostError('answer_in_parts', 'The host sent its answer in parts although it was not asked to');
  }
  const length = Number(headers['content-length'] ?? NaN);
  if (length > MAX_ANSWER_BYTES) {
    return hostError('answer_too_large', `The host’s answer is longer than ${MAX_ANSWER_BYTES} bytes`);
  }
  if (length === 0 || !isEncoded(headers)) return undefined;
  return hostError('answer_encoded', 'The host encoded its answer although it was asked not to');
}

function isEncoded(headers: IncomingHttpHeaders): boolean {
  const codings = `${headers['content-encoding'] ?? ''},${headers['transfer-encoding'] ?? ''}`;
  return /[^\s,]/.test(codings.toLowerCase().replaceAll(/\b(?:identity|chunked)\b(?:\s*;[^,]*)?/g, ''));
}

function toAppError(error: unknown): unknown {
  if (error instanceof OutboundBlockedError) {
    return new AppError('host_refused', {
      reason: 'host_refused',
      publicMessage: error.message,
      cause: error,
    });
  }
  if (error instanceof OutboundTimeoutError) {
    return new AppError('provider_timeout', { reason: 'host_too_slow', isOfCustomer: true, cause: error });
  }
  if (error instanceof OutboundNetworkError) {
    return hostError('host_unreachable', 'The host could not be reached', error);
  }
  return error;
}

function hostError(reason: string, publicMessage: string, cause?: unknown): AppError {
  const retryable = reason === 'host_unreachable';
  return new AppError('provider_error', { reason, publicMessage, retryable, isOfCustomer: true, cause });
}
