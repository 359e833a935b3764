import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Middleware } from 'koa';
import {
  MAX_CALLBACK_BYTES,
  MAX_SCIM_BYTES,
  type OperationDefinition,
  takesSession,
} from '../../contract/operation.ts';
import { MAX_SIGN_BYTES } from '../../contract/interns/daemon-error.ts';
import { HOPS_HEADER, passOnHops } from '../../domain/hops.ts';
import type { Entitlement } from '../../domain/entitlement.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ScimTokenVerifier } from '../../services/directory/tokens/token-verifier.ts';
import type { ProgrammeGate } from '../../services/interns/programme-gate.ts';
import type { DatasetRate } from '../../services/rate-limits/dataset-rate.ts';
import type { GenerationRate } from '../../services/rate-limits/generation-rate.ts';
import type { RateVerdict } from '../../services/rate-limits/rate-limiter.ts';
import type { RequestsInFlight } from '../../services/rate-limits/requests-in-flight.ts';
import { compressAnswer } from './compress-answer.ts';
import type { ApiContext, ApiState } from './context.ts';
import { announceDeprecation } from './request/announce-deprecation.ts';
import { authenticate, authenticateDirectory, type Keys } from './request/authenticate.ts';
import { authenticateSession, type Sessions } from './request/authenticate-session.ts';
import { claimIdempotency } from './request/claim-idempotency.ts';
import { clientFactsOf, readSessionHeader } from './request/client-facts.ts';
import { countInFlight, limitRate } from './request/limit-request.ts';
import { goneSignal } from './request/gone-signal.ts';
import { jsonLimitsOf } from './request/json-limits.ts';
import { parseJson } from './request/parse-json.ts';
import { readBody } from './request/read-body.ts';
import { createRequestValidator } from './request/validate-request.ts';
import { sessionTokenIn } from './request/session-cookie.ts';
import { withinTime } from './request/within-time.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { AnyAnswer, AnyCall, Api, ApiSettings, Route } from './route.ts';
import { sendAnswer } from './send-answer.ts';
import { speakDialect, speakDialectOfVersion } from './speak-dialect.ts';

/** The services that every operation uses before its handler. */
export interface CommonServices {
  keys: Keys;
  consoleSessions: Sessions;
  scimTokens: Pick<ScimTokenVerifier, 'verify'>;
  entitlements: { require(organizationId: string, entitlement: Entitlement): Promise<void> };
  programmeGate: Pick<ProgrammeGate, 'admit'>;
  requestsInFlight: RequestsInFlight;
  generationRate: Pick<GenerationRate, 'take'>;
  datasetRate: DatasetRate;
}

const NO_BODY = Buffer.alloc(0);

/**
 * Creates the handler of an operation. Its steps: authenticate, require entitlements, count, limit, admit, read,
 * validate, handle, answer.
 */
export function createOperationHandler<Services extends CommonServices>(
  route: Route<Services>,
  api: Api<Services>,
): Middleware<ApiState> {
  const { operation, handle } = route;
  const { services, settings, bodyGuards, metrics } = api;
  const validate = createRequestValidator(operation);
  const limitBytes = limitOf(operation, settings);
  const jsonLimits = jsonLimitsOf(operation);
  const { rawBody } = operation;
  const mediaTypes = rawBody === undefined ? operation.body?.mediaTypes : ('any' as const);
  const admit = admissionOf(route, api);
  const takeRate = rateOf(operation, services);
  const sessionOf = takesSession(operation) ? sessionReaderOf(operation, api) : undefined;
  const hasSession = operation.headers?.shape['x-session-id'] !== undefined;
  const answerTo = async (ctx: ApiContext): Promise<AnyAnswer> => {
    const { req, res, state, method } = ctx;
    const addressOf = () => settings.addresses.callerOf(req);
    const tokens = operation.access === 'scim' ? services.scimTokens : undefined;
    const directoryClient = tokens && (await authenticateDirectory(req.headers, tokens, addressOf));
    const bySession = () => sessionOf?.(ctx, addressOf);
    const principal = await authenticate(req.headers, operation, services.keys, addressOf, bySession);
    keepCaller(ctx, operation, settings, { principal, directoryClient });
    const organizationId = principal?.organizationId ?? directoryClient?.organizationId;
    if (operation.entitlement !== undefined && principal !== undefined) {
      await services.entitlements.require(principal.organizationId, operation.entitlement);
    }
    if (operation.programme !== undefined && principal !== undefined) {
      const admission = services.programmeGate.admit(principal.organizationId, req.headers.host);
      if (admission !== undefined) await admission;
    }
    const hops = operation.callsOut && hopsOf(ctx, principal, api);
    if (takeRate !== undefined && principal !== undefined) {
      // Without a limit no promise is awaited, which would cost a turn of the event loop.
      const pendingVerdict = takeRate(principal);
      const verdict = pendingVerdict && (await pendingVerdict);
      if (verdict !== undefined) limitRate(ctx, verdict);
    }
    admit?.(ctx);
    const terms = { limitBytes, mediaTypes, organizationId };
    const isBodyExpected = expectsBody(operation, req);
    const sinceMs = performance.now();
    const bytes = isBodyExpected ? await readBody(req, res, terms, bodyGuards) : NO_BODY;
    state.callerMs = performance.now() - sinceMs;
    const isJson = isBodyExpected && rawBody === undefined;
    const body = isJson ? parseJson(bytes, jsonLimits) : absentBodyOf(operation);
    const parts = validate({
      params: ctx['params'] ?? {},
      query: parseQuery(ctx.querystring),
      headers: hasSession ? readSessionHeader(req.headers, body) : req.headers,
      body,
    });
    const idempotency = claimIdempotency(operation, req.headers, parts.params, bytes);
    const client = clientFactsOf(state.requestId, req.headers, countryHeaderOf(req, settings), hops);
    const raw = { rawHeaders: req.headers, rawBody: bytes, rawTarget: req.url ?? '/' };
    const caller = { principal, directoryClient, client, idempotency, waits: state };
    const call = { method, address: addressOf, ...caller, ...raw, ...parts };
    return handle({ ...call, ...untilClosed(res, organizationId, api) }, api);
  };
  return answerWith(operation, metrics, answerTo);
}

/** Returns the step that finds the caller by the cookie of a session; the step returns undefined without one. */
function sessionReaderOf(
  operation: OperationDefinition,
  { services, settings }: Pick<Api<CommonServices>, 'services' | 'settings'>,
) {
  return ({ req, state }: ApiContext, addressOf: () => string): Promise<Principal> | undefined => {
    const token = sessionTokenIn(req.headers, settings.publicUrl);
    if (token === undefined) return undefined;
    const facts = { addressOf, requestId: state.requestId };
    return authenticateSession(token, req.headers, operation, services.consoleSessions, facts);
  };
}

/** Provides what a request uses until its response closes. */
function untilClosed(
  res: ServerResponse,
  organizationId: string | undefined,
  { bodyGuards, answers }: Pick<Api<unknown>, 'bodyGuards' | 'answers'>,
): Pick<AnyCall, 'gone' | 'openMemory' | 'openAnswer'> {
  let signal: AbortSignal | undefined;
  return {
    gone: () => (signal ??= goneSignal(res)),
    openMemory: () => bodyGuards.bodies.open(res, organizationId),
    openAnswer: (owner) => answers.open(owner, res),
  };
}

interface Identity {
  principal: ApiState['principal'] | undefined;
  directoryClient: ApiState['directoryClient'] | undefined;
}

/** Keeps the caller for the log, and its connection open until the answer. A wrong signature is answered at once. */
function keepCaller(
  { req, state }: ApiContext,
  { access }: OperationDefinition,
  { gate }: ApiSettings,
  { principal, directoryClient }: Identity,
): void {
  if (principal !== undefined) state.principal = principal;
  if (directoryClient !== undefined) state.directoryClient = directoryClient;
  if (access !== 'public') gate.busy(req.socket);
}

/** Sends the answer of an operation in the dialect of the caller and within the time of the operation. */
function answerWith(
  operation: OperationDefinition,
  metrics: RequestMetrics,
  answerTo: (ctx: ApiContext) => Promise<AnyAnswer>,
): Middleware<ApiState> {
  const { timeoutMs, errorShape, errorMessages, deprecated } = operation;
  // The headers are for the host that the request is sent to. They do not show the dialect of the caller.
  const isForHost = operation.credential === 'sluice-authorization';
  const { isCompressed = answersReads(operation) } = operation;
  return async (ctx) => {
    ctx.state.operationId = operation.id;
    metrics.started(operation.id);
    if (errorMessages !== undefined) ctx.state.errorMessages = errorMessages;
    if (errorShape !== undefined) speakDialect(ctx, errorShape);
    else if (!isForHost) speakDialectOfVersion(ctx);
    if (deprecated !== undefined) announceDeprecation(ctx, deprecated);
    const answering = answerTo(ctx);
    const answer = await (timeoutMs === undefined ? answering : withinTime(timeoutMs, answering));
    // The promise resolves when the answer is sent, because a stream is recorded at its end, even when it was cut off.
    // It is returned, not awaited, so that the request's objects can be freed.
    return sendAnswer(ctx, isCompressed ? await compressAnswer(ctx, answer) : answer);
  };
}

/**
 * Counts a request that calls out, and returns the hops for the requests that follow from it. Throws 508 for a request
 * in a loop.
 */
function hopsOf(
  { req, res }: ApiContext,
  principal: Principal | undefined,
  { services, settings }: Pick<Api<CommonServices>, 'services' | 'settings'>,
): string {
  if (principal !== undefined) countInFlight(res, services.requestsInFlight, principal);
  return passOnHops(req.headers[HOPS_HEADER]?.toString(), settings.hopMarks);
}

/** Returns whether a body must be read. A missing body that is required is rejected later. */
function expectsBody({ body, rawBody }: OperationDefinition, request: IncomingMessage): boolean {
  if (rawBody === undefined && body?.optional === undefined) return body !== undefined;
  return !isBodyAbsent(request);
}

function isBodyAbsent({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** Returns the header with the country if its value is believed. */
function countryHeaderOf(
  request: IncomingMessage,
  { addresses, countryHeader }: ApiSettings,
): string | undefined {
  return countryHeader !== undefined && addresses.believesHeaders(request) ? countryHeader : undefined;
}

/** Returns the value that is validated if the request has no body. */
function absentBodyOf({ body }: OperationDefinition): object | undefined {
  return body?.optional ? {} : undefined;
}

/** Returns the size limit of the operation's body, in bytes. */
function limitOf({ body, rawBody }: OperationDefinition, settings: ApiSettings): number {
  if (rawBody !== undefined) return rawBody.maxBytes;
  switch (body?.limit) {
    case 'generation':
      return settings.maxGenerationBodyBytes;
    case 'callback':
      return Math.min(settings.maxBodyBytes, MAX_CALLBACK_BYTES);
    case 'scim':
      return MAX_SCIM_BYTES;
    case 'sign':
      return MAX_SIGN_BYTES;
    default:
      return settings.maxBodyBytes;
  }
}

/** Returns whether the operation only reads, and answers with JSON. */
function answersReads({ method, responses }: OperationDefinition): boolean {
  return method === 'get' && responses[200]?.schema !== undefined;
}

/** Returns the step that may reject a request by its path and query; undefined if the route has no such step. */
function admissionOf<Services>(
  route: Route<Services>,
  api: Api<Services>,
): ((ctx: ApiContext) => void) | undefined {
  if (route.admit === undefined) return undefined;
  const { headers: _headers, body: _body, ...head } = route.operation;
  const validate = createRequestValidator(head);
  return (ctx) => {
    const raw = { params: ctx['params'] ?? {}, query: parseQuery(ctx.querystring) };
    route.admit?.(validate({ ...raw, headers: {}, body: undefined }), api);
  };
}

type TakeRate = (principal: Principal) => Promise<RateVerdict | undefined> | undefined;

function rateOf(
  { rateLimit, path }: OperationDefinition,
  { generationRate, datasetRate }: Pick<CommonServices, 'generationRate' | 'datasetRate'>,
): TakeRate | undefined {
  switch (rateLimit) {
    case 'generation':
      return (principal) => generationRate.take(principal);
    case 'dataset':
      return (principal) => datasetRate.take(principal, path);
    default:
      return undefined;
  }
}
