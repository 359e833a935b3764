/** Sends the short requests of video jobs to vendors, and downloads their files. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ZodType } from 'zod';
import { HOPS_HEADER } from '../domain/hops.ts';
import { ProviderError } from '../domain/provider-error.ts';
import type { CallContext } from './call-context.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { PUBLIC_MESSAGES, scrubVendorText } from './public-message.ts';
import { readLimited } from './read-limited.ts';
import { invalidResponse, transportFailure } from './transport-failure.ts';
import { vendorError } from './vendor-error.ts';

export interface ProviderHttpOptions extends Pick<
  ProviderSettings,
  'baseUrl' | 'apiKey' | 'dispatcher' | 'timeouts'
> {
  /** Returns the headers with the credential. Absent: `apiKey` as a bearer token. */
  authorize?: Authorize;
}

/** Returns the headers with a credential, which may have to be fetched first. Throws ProviderError. */
export type Authorize = (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;

export interface ProviderCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the base URL, without a leading slash; its variable parts percent-encoded. */
  path: string;
  headers?: Record<string, string>;
  /** The body; a plain value is sent as JSON. */
  body?: FormData | Record<string, unknown>;
  /** The timeout of the whole exchange; `timeouts.jsonMs` if absent. */
  timeoutMs?: number;
  /** True: a POST that may be repeated, so that it may use a kept connection. */
  repeatable?: true;
  /** Reads the body of a success as text, in place of a limit of 1 MiB. */
  readText?: (body: Readable) => Promise<string>;
  /** Returns the error for an answer with an error status; `vendorError` if absent. */
  refusalOf?: typeof vendorError;
}

/** A parsed answer. */
export interface JsonAnswer<T> {
  value: T;
  headers: IncomingHttpHeaders;
  /** Cleans a text of the answer for customers. The credential that was sent is removed, too. */
  scrub(text: string): string;
}

/** An answer of any status. The text of a refusal may be cut. */
export interface TextAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface FileAnswer {
  /** 200 to 399: the caller decides about redirects. */
  status: number;
  headers: IncomingHttpHeaders;
  body: Readable;
  /** The requested URL; a relative `Location` is relative to it. */
  url: string;
}

/** Sends single requests to a vendor, without retries. All failures are ProviderError. */
export interface ProviderHttp {
  requestJson<T>(call: ProviderCall, schema: ZodType<T>, context: CallContext): Promise<JsonAnswer<T>>;
  /** Returns the answer also if its status is an error. */
  request(call: ProviderCall, context: CallContext): Promise<TextAnswer>;
  /**
   * Opens a file, by GET if only its path is given. Its body fails with raw errors; see `file-body.ts`. Silence has a
   * timeout, but the whole body has none.
   */
  openFile(file: string | ProviderCall, context: CallContext): Promise<FileAnswer>;
}

type Secrets = readonly (string | undefined)[];

const MAX_JSON_BYTES = 1024 ** 2;
const MAX_ERROR_BYTES = 64 * 1024;

export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  return {
    requestJson: (call, schema, context) => requestJson(options, call, schema, context),
    request: async (call, context) => (await request(options, call, context)).answer,
    openFile: (file, context) =>
      openFile(options, typeof file === 'string' ? { method: 'GET', path: file } : file, context),
  };
}

async function requestJson<T>(
  options: ProviderHttpOptions,
  call: ProviderCall,
  schema: ZodType<T>,
  context: CallContext,
): Promise<JsonAnswer<T>> {
  const { answer, secrets } = await request(options, call, context);
  const { refusalOf = vendorError } = call;
  if (answer.status >= 300) throw refusalOf(answer, secrets);
  const value = parseJson(answer.text, schema, answer.status);
  return { value, headers: answer.headers, scrub: (text) => scrubVendorText(text, secrets) };
}

async function request(
  options: ProviderHttpOptions,
  call: ProviderCall,
  context: CallContext,
): Promise<{ answer: TextAnswer; secrets: Secrets }> {
  stopIfAborted(context.signal);
  const deadline = AbortSignal.timeout(call.timeoutMs ?? options.timeouts.jsonMs);
  const signal = AbortSignal.any([context.signal, deadline]);
  try {
    const limits = { signal, headersTimeout: 0, bodyTimeout: 0 };
    const credential = await credentialOf(options, context, signal);
    const { statusCode: status, headers, body } = await exchange(options, call, context, credential, limits);
    const { readText = readJsonText } = call;
    const text = await (status >= 300 ? refusalText(body) : readText(body));
    return { answer: { status, headers, text }, secrets: secretsIn(options, credential) };
  } catch (error) {
    throw transportFailure(error, { signal: context.signal, deadline });
  }
}

async function openFile(
  options: ProviderHttpOptions,
  call: ProviderCall,
  context: CallContext,
): Promise<FileAnswer> {
  const { signal } = context;
  stopIfAborted(signal);
  const { fileStartMs, fileIdleMs } = options.timeouts;
  try {
    const limits = { signal, headersTimeout: fileStartMs, bodyTimeout: fileIdleMs };
    const credential = await credentialOf(options, context, signal);
    const answer = await exchange(options, call, context, credential, limits);
    if (answer.statusCode >= 400) throw await refusal(answer, call, secretsIn(options, credential));
    const url = urlOf(options, call.path).href;
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, url };
  } catch (error) {
    throw transportFailure(error, { signal });
  }
}

async function exchange(
  options: ProviderHttpOptions,
  call: ProviderCall,
  { requestId, hops }: CallContext,
  credential: Record<string, string>,
  limits: { signal: AbortSignal; headersTimeout: number; bodyTimeout: number },
): Promise<Dispatcher.ResponseData> {
  const { body, contentType } = await encodeBody(call.body);
  const url = urlOf(options, call.path);
  const answer = options.dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: call.method,
    headers: {
      accept: '*/*',
      'user-agent': 'sluice',
      'x-client-request-id': requestId,
      ...(hops === undefined ? {} : { [HOPS_HEADER]: hops }),
      ...credential,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...call.headers,
    },
    body,
    ...(call.repeatable && { idempotent: true }),
    ...limits,
  });
  return rejectOnAbort(answer, limits.signal);
}

function urlOf({ baseUrl }: ProviderHttpOptions, path: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '')}/${path}`);
}

/** Returns the error for an answer with an error status. */
async function refusal(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { refusalOf = vendorError }: ProviderCall,
  secrets: Secrets,
): Promise<ProviderError> {
  return refusalOf({ status, headers, text: await refusalText(body) }, secrets);
}

/** Returns the headers with the credential. While they are waited for, nothing has been sent. */
async function credentialOf(
  { apiKey, authorize }: ProviderHttpOptions,
  context: CallContext,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (authorize === undefined) return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  try {
    return await rejectOnAbort(Promise.resolve(authorize(context)), signal);
  } catch (error) {
    stopIfAborted(context.signal);
    throw transportFailure(error, { signal: context.signal, sent: false });
  }
}

/** Returns the texts that no error may contain: the key, and the headers without a scheme such as `Bearer`. */
function secretsIn({ apiKey }: ProviderHttpOptions, credential: Record<string, string>): Secrets {
  return [apiKey, ...Object.values(credential).map((value) => value.replace(/^\w+ /, ''))];
}

function readJsonText(body: Readable): Promise<string> {
  return readLimited(body, MAX_JSON_BYTES, 'refuse');
}

/** Reads as much of a refusal's body as an error needs. */
function refusalText(body: Readable): Promise<string> {
  return readLimited(body, MAX_ERROR_BYTES, 'cut').catch(() => '');
}

/**
 * Settles with the work, or rejects as soon as the signal is aborted. undici checks the signal only after connecting.
 */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Throws if the signal is aborted. As nothing was sent, the outcome is certain. */
function stopIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ProviderError({
    code: 'not_connected',
    sent: false,
    retryable: false,
    publicMessage: PUBLIC_MESSAGES.aborted,
    cause: signal.reason,
  });
}

async function encodeBody(
  body: ProviderCall['body'],
): Promise<{ body: Uint8Array | string | null; contentType?: string }> {
  if (body === undefined) return { body: null };
  if (!(body instanceof FormData)) return { body: JSON.stringify(body), contentType: 'application/json' };
  const encoded = new Response(body);
  const contentType = encoded.headers.get('content-type') ?? 'multipart/form-data';
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType };
}

/** Parses the JSON of a success. An empty body, as with 204, is null. Throws ProviderError `invalid_response`. */
export function parseJson<T>(text: string, schema: ZodType<T>, status: number): T {
  try {
    return schema.parse(text === '' ? null : JSON.parse(text));
  } catch (cause) {
    throw invalidResponse(status, cause);
  }
}
