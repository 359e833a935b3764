/** Serves the console: the files of its build, and its first page at every address of the console. */
import { type FileHandle, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { AppError } from '../../domain/errors.ts';
import type { ApiContext, ApiState } from '../http/context.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { notBuiltPage } from './not-built-page.ts';

/** The folder of the build, from the sources and from the compiled code alike. */
const BUILD = fileURLToPath(new URL('../../console/dist/', import.meta.url));

/** Allows this server alone, and no frame around the console. Pictures that people attach are data: URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A name of a built file. It has no slash, so that it stays in its folder. */
const ASSET_NAME = /^[\w-][\w.-]*$/;

/** The codings of which the build has files, in order of preference. */
const CODINGS = { br: '.br', gzip: '.gz' } as const;

/** Creates the router of the console. */
export function createConsoleRouter(folder = BUILD): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  router.get('/console/assets/:name', async (ctx) => {
    const name = ctx.params['name'] ?? '';
    const file = ASSET_NAME.test(name) ? await openCoded(ctx, join(folder, 'assets', name)) : undefined;
    if (file === undefined) throw new AppError('not_found');
    // The name has a hash of the content.
    ctx.set('cache-control', 'public, max-age=31536000, immutable');
    ctx.type = extname(name);
    return sendAnswer(ctx, { status: 200, body: file.createReadStream() });
  });
  // The path says which page the script shows.
  router.get('/console{/*page}', async (ctx) => {
    const file = await openCoded(ctx, join(folder, 'index.html'));
    setPageHeaders(ctx);
    const body = file?.createReadStream() ?? Readable.from([notBuiltPage]);
    return sendAnswer(ctx, { status: file === undefined ? 503 : 200, body });
  });
  return router;
}

function setPageHeaders(ctx: ApiContext): void {
  ctx.set('content-security-policy', POLICY);
  ctx.set('referrer-policy', 'no-referrer');
  ctx.set('x-content-type-options', 'nosniff');
  // The page names the files of one build.
  ctx.set('cache-control', 'no-cache');
  ctx.type = 'html';
}

/** Opens a file in the best coding that the caller accepts; undefined if the build has no such file. */
async function openCoded(ctx: ApiContext, path: string): Promise<FileHandle | undefined> {
  ctx.vary('accept-encoding');
  const accepted = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (accepted === 'br' || accepted === 'gzip') {
    const coded = await openIfThere(path + CODINGS[accepted]);
    if (coded !== undefined) {
      ctx.set('content-encoding', accepted);
      return coded;
    }
  }
  return openIfThere(path);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
