import type { Middleware } from 'koa';
import type { OperationId } from '../../contract/operations.ts';
import { newRequestId } from '../../domain/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ApiContext, ApiState } from './context.ts';
import { CALLER_LEFT, type RequestMetrics } from './request-metrics.ts';

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** Asked every few seconds by every load balancer. */
const PROBES = new Set<string>(['checkHealth', 'checkReadiness'] satisfies OperationId[]);

/** Names the request, sets the headers that every answer has, and logs and counts it when it is over. */
export function createRequestContext(parent: Logger, metrics: RequestMetrics): Middleware<ApiState> {
  // No field of the line has the name of a secret, so none is redacted by its name. Text that looks like one still is.
  const logger = parent.child({}, { formatters: { log: (facts) => facts } });
  return async (ctx, next) => {
    const startedAtMs = performance.now();
    const offered = ctx.req.headers['x-request-id'];
    const isUsable = typeof offered === 'string' && REQUEST_ID_PATTERN.test(offered);
    ctx.state.requestId = isUsable ? offered : newRequestId();
    ctx.state.callerMs = 0;
    ctx.state.upstreamMs = 0;
    ctx.set('x-request-id', ctx.state.requestId);
    ctx.set('x-content-type-options', 'nosniff');
    ctx.set('cache-control', 'no-store');
    ctx.res.once('close', () => {
      const status = ctx.res.writableFinished ? ctx.res.statusCode : CALLER_LEFT;
      const endedAtMs = performance.now();
      metrics.ended(ctx.state, status, startedAtMs, endedAtMs);
      logRequest(ctx, logger, status, endedAtMs - startedAtMs);
    });
    await next();
  };
}

/** Matches what is shown of the path of an intern's request. The rest is the customer's, as a body is. */
const EGRESS_PATH = /^(\/api\/v1\/interns\/[^/]+\/egress\/[^/]+\/[^/]+\/).+/;

/** The path without its query: a signed URL's query is a secret. */
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
