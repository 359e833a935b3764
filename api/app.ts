/** Assembles the HTTP API from its middleware, request limits, routes and documentation pages. */
import Koa from 'koa';
import { MAX_SCIM_BYTES } from '../contract/operation.ts';
import type { AnswersInFlight } from '../platform/answers-in-flight.ts';
import type { Logger } from '../platform/logger.ts';
import type { ApiState } from './http/context.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { createErrorHandler } from './http/error-handler.ts';
import { createRequestContext } from './http/request-context.ts';
import { createBodiesInFlight } from './http/request/bodies-in-flight.ts';
import { createBodyPace } from './http/request/body-pace.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import type { ApiSettings } from './http/route.ts';
import { createRouter } from './http/router.ts';
import type { Services } from './create-services.ts';
import { createPages } from './pages.ts';
import { routes } from './routes.ts';

export interface AppOptions extends ApiSettings {
  logger: Logger;
  metrics: RequestMetrics;
  /** The memory limit for the bodies of all requests in this process. */
  bodyBytes: number;
  /** The memory limits for the answers of upstreams. */
  answers: AnswersInFlight;
}

/** Creates the HTTP API over its services. Serve it with `createServer`, which can stop it. */
export function createApp(services: Services, options: AppOptions): Koa<ApiState> {
  const { logger, metrics, bodyBytes, answers, ...settings } = options;
  const app = new Koa<ApiState>();
  app.on('error', (error: unknown, ctx?: { state: ApiState }) => {
    reportLateError(logger, error, ctx?.state.requestId);
  });
  app.use(createRequestContext(logger, metrics));
  if (settings.corsOrigins.length > 0) app.use(allowOrigins(settings.corsOrigins));
  app.use(createErrorHandler(logger));
  const bodies = createBodiesInFlight({
    maxBytes: bodyBytes,
    largestBytes: Math.max(settings.maxBodyBytes, settings.maxGenerationBodyBytes, MAX_SCIM_BYTES),
    largestKeylessBytes: settings.maxBodyBytes,
  });
  const bodyGuards = { bodies, pace: createBodyPace() };
  const middleware = createRouter(routes, createPages(), {
    services,
    settings,
    bodyGuards,
    answers,
    metrics,
  });
  for (const step of middleware) app.use(step);
  return app;
}

const CLIENT_GONE = /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|HPE_\w+)$/;

/** Logs an error that occurs while a body is sent. Its status was sent already, so the answer cannot change. */
function reportLateError(logger: Logger, error: unknown, requestId: string | undefined): void {
  const { code = '' } = error as { code?: string };
  const level = CLIENT_GONE.test(code) ? 'debug' : 'error';
  logger[level]({ err: error, requestId }, 'response was cut short');
}
