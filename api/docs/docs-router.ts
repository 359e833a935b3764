/** Serves the documentation: the API reference, the page about credits, and OpenAPI. */
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import Router from '@koa/router';
import { buildOpenApi } from '../../contract/openapi.ts';
import { AppError } from '../../domain/errors.ts';
import type { ApiContext, ApiState } from '../http/context.ts';
import { answerPrepared, prepareAnswer } from '../http/answer-conditionally.ts';
import { compressAnswer } from '../http/compress-answer.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { creditsPage, referencePage, startScript } from './pages.ts';

const require = createRequire(import.meta.url);
const VIEWER_DIRECTORY = dirname(require.resolve('swagger-ui-dist/package.json'));

/** The files of the viewer that are served; all others are a 404. */
const ASSETS = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

let prepared: ReturnType<typeof prepareAnswer> | undefined;

/** The document is made for its first reader: a process would start a tenth of a second later with it. */
function openApi(): ReturnType<typeof prepareAnswer> {
  prepared ??= prepareAnswer(JSON.stringify(buildOpenApi()));
  return prepared;
}

/** Creates the router of the documentation. All files of its pages are local, so they work without a network. */
export function createDocsRouter(): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  router.get('/docs', (ctx) => sendPage(ctx, referencePage));
  router.get('/docs/credits', (ctx) => sendPage(ctx, creditsPage));
  router.get('/docs/openapi.json', async (ctx) => {
    return sendAnswer(ctx, await compressAnswer(ctx, answerPrepared(ctx.req.headers, openApi())));
  });
  router.get('/docs/assets/start.js', (ctx) => {
    ctx.type = 'js';
    return sendAnswer(ctx, { status: 200, body: Readable.from([startScript]) });
  });
  router.get('/docs/assets/:name', (ctx) => {
    const name = ctx.params['name'] ?? '';
    if (!ASSETS.has(name)) throw new AppError('not_found');
    ctx.set('cache-control', 'public, max-age=3600');
    ctx.type = extname(name);
    return sendAnswer(ctx, { status: 200, body: createReadStream(join(VIEWER_DIRECTORY, name)) });
  });
  return router;
}

function sendPage(ctx: ApiContext, html: string): Promise<void> | undefined {
  ctx.set('content-security-policy', PAGE_POLICY);
  ctx.set('referrer-policy', 'no-referrer');
  ctx.type = 'html';
  return sendAnswer(ctx, { status: 200, body: Readable.from([html]) });
}
