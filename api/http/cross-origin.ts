/** Adds CORS headers to answers, so that web pages of the configured origins can call the API. */
import cors from '@koa/cors';
import type { Middleware } from 'koa';
import type { ApiState } from './context.ts';

/** The lifetime of a preflight's result, in seconds. Chromium caches it for no longer than this. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Creates the middleware that allows these origins (the Fetch standard, "CORS protocol"); `*`: all origins. Every
 * answer has the headers, errors included, and pages can read headers such as request and generation ids. Cookies are
 * not used, so credentials are not allowed.
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
    maxAge: PREFLIGHT_SECONDS,
    keepHeadersOnError: false,
  });
}
