/** Puts the pages for browsers together: the console, to which `/` leads them, and the documentation. */
import Router from '@koa/router';
import { AppError } from '../domain/errors.ts';
import { createConsoleRouter } from './console/console-router.ts';
import { createDocsRouter } from './docs/docs-router.ts';
import type { ApiState } from './http/context.ts';

/** Creates the router of all pages. All their files are local, so they work without a network. */
export function createPages(): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  router.get('/', (ctx) => {
    ctx.vary('accept');
    // Clients of the API accept anything, and get the 404 of an unknown path.
    if (ctx.accepts('json', 'html') !== 'html') throw new AppError('not_found');
    ctx.redirect('/console');
  });
  router.use(createConsoleRouter().routes());
  router.use(createDocsRouter().routes());
  return router;
}
