import type { Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ApiState } from '../context.ts';
import { presentError } from '../presenters/error.ts';
import { sendAnswer } from '../send-answer.ts';

/** The one place where a failure becomes an answer. What nobody expected is shown as 500 and no more. */
export function createErrorExit(logger: Logger): Middleware<ApiState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = thrown instanceof AppError ? thrown : new AppError('internal', { cause: thrown });
      ctx.state.reason = error.code;
      const answer = presentError(error);
      if (answer.status >= 500) {
        logger.error({ err: thrown, requestId: ctx.state.requestId, code: error.code }, 'request failed');
      }
      if (ctx.headerSent || !ctx.writable) return;
      sendAnswer(ctx, answer);
    }
  };
}
