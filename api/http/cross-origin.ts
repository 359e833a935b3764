import cors from '@koa/cors';
import type { Middleware } from 'koa';
import type { ApiState } from './context.ts';

/** How long a browser may remember what a preflight allowed. No browser remembers longer than two hours. */
const REMEMBERED_SECONDS = 7_200;

/**
 * Lets pages of these origins call the API (the Fetch standard, "CORS protocol"); `*` stands for any. Every answer says so, errors
 * included, and its headers can be read, such as the ids of request and generation. Cookies mean nothing here, so they are not asked
 * for.
 */
export function allowOrigins(origins: readonly string[]): Middleware<ApiState> {
  const isOpen = origins.includes('*');
  const listed = new Set(origins);
  return cors({
    origin: (ctx) => {
      if (isOpen) return '*';
      const origin = ctx.get('origin');
      return listed.has(origin) ? origin : '';
    },
    exposeHeaders: '*',
    maxAge: REMEMBERED_SECONDS,
    keepHeadersOnError: false,
  });
}
