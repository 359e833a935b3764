/** Converts every failure of a request to an error answer, and logs server errors. */
import type { Middleware } from 'koa';
import { isOutage } from '../../db/postgres/outage.ts';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ApiState } from './context.ts';
import { presentCohereError, presentDaemonError, presentScimError } from './errors/present-dialect-errors.ts';
import { presentError } from './errors/present-error.ts';
import { presentMessagesError } from './errors/present-messages-error.ts';
import { sendAnswer } from './send-answer.ts';

/** The `Retry-After` of an outage. A restart or failover of Postgres takes only a few such periods. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Creates the middleware that answers failures. An outage of Postgres or another server of the deployment is a 503.
 * Unexpected errors are a 500 without details.
 */
export function createErrorHandler(logger: Logger): Middleware<ApiState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown);
      ctx.state.reason = error.options.reason ?? error.code;
      const answer = presentError(error, ctx.state.errorMessages);
      if (answer.status >= 500) {
        const facts = { err: thrown, requestId: ctx.state.requestId, code: error.code };
        if (error.options.isOfCustomer === true)
          logger.warn(facts, 'request failed at the customer’s own upstream');
        else logger.error(facts, 'request failed');
      }
      if (ctx.headerSent || !ctx.writable) return;
      await sendAnswer(ctx, { ...answer, ...inShape(ctx.state, error) });
    }
  };
}

/** Presents an error in another API's envelope. Returns an empty object if the usual envelope applies. */
function inShape({ errorShape, requestId }: ApiState, error: AppError): { status?: number; body?: object } {
  switch (errorShape) {
    case 'messages':
      return { body: presentMessagesError(error, requestId) };
    case 'cohere':
      return { body: presentCohereError(error) };
    case 'scim':
      return { body: presentScimError(error) };
    case 'daemon':
      return presentDaemonError(error);
    default:
      return {};
  }
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (!isOutage(thrown)) return new AppError('internal', { cause: thrown });
  return new AppError('unavailable', { cause: thrown, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
