/** Assigns an id to each request, and records its end in the log and the metrics. */
import type { Middleware } from 'koa';
import type { OperationId } from '../../contract/operations.ts';
import { newRequestId } from '../../domain/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ApiContext, ApiState } from './context.ts';
import { CALLER_LEFT, type RequestMetrics } from './request-metrics.ts';

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** Operations that load balancers call every few seconds; they are logged at debug level only. */
const PROBES = new Set<string>(['checkHealth', 'checkReadiness'] satisfies OperationId[]);

/** Creates the middleware, which also sets the headers that every answer has. */
export function createRequestContext(parent: Logger, metrics: RequestMetrics): Middleware<ApiState> {
  // The log line has no fields with secret names, so redaction by name is skipped. Text that looks like a secret is
  // still redacted.
  const logger = parent.child({}, { formatters: { log: (facts) => facts } });
  return async (ctx, next) => {
    const startedAtMs = performance.now();
    const offered = ctx.req.headers['x-request-id'];
    const isUsable = typeof offered === 'string' && REQUEST_ID_PATTERN.test(offered);
    ctx.state.requestId = isUsable ? offered : newRequestId();
    ctx.state.callerMs = 0;
    ctx.state.upstreamMs = 0;
    const { res } = ctx;
    res.setHeader('x-request-id', ctx.state.requestId);
    res.setHeader('x-content-type-options', 'nosniff');
    res.setHeader('cache-control', 'no-store');
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : CALLER_LEFT;
      const endedAtMs = performance.now();
      metrics.ended(ctx.state, status, startedAtMs, endedAtMs);
      logRequest(ctx, logger, status, endedAtMs - startedAtMs);
    });
    await next();
  };
}

/** Matches the logged part of the path of an intern's request. The rest is confidential, like a body. */
const EGRESS_PATH = /^(\/api\/v1\/interns\/[^/]+\/egress\/[^/]+\/[^/]+\/).+/;

/** Logs a request with its path, without the query: a signed URL's query is secret. */
function logRequest(ctx: ApiContext, logger: Logger, status: number, tookMs: number): void {
  const { requestId, operationId, principal, directoryClient, reason } = ctx.state;
  const facts = {
    requestId,
    method: ctx.method,
    path: ctx.path.replace(EGRESS_PATH, '$1…'),
    status,
    durationMs: Math.round(tookMs * 10) / 10,
    operation: operationId,
    keyId: principal?.keyId,
    workspaceId: principal?.workspaceId,
    scimTokenId: directoryClient?.tokenId,
    reason,
  };
  if (PROBES.has(operationId ?? '')) logger.debug(facts, 'request');
  else logger.info(facts, 'request');
}
