import Router from '@koa/router';
import type { Middleware } from 'koa';
import type { OperationDefinition } from '../../contract/operation.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { isPercentEncoded } from '../../domain/url-text.ts';
import { API_BASE, SCIM_BASE } from './base-path.ts';
import type { ApiContext, ApiState } from './context.ts';
import { type CommonServices, createOperationHandler } from './operation-handler.ts';
import { problemOfHead } from './request/problem-of-head.ts';
import { createRouteIndex, type RouteIndex } from './route-index.ts';
import type { Api, Route } from './route.ts';
import { speakDialectOfCaller } from './speak-dialect.ts';

/**
 * Mounts the routes. An unknown path is a 404, a known path with another method a 405; both are checked before the key.
 * Each path matches one route.
 */
export function createRouter<Services extends CommonServices>(
  routes: Route<Services>[],
  pages: Router<ApiState>,
  api: Api<Services>,
): Middleware<ApiState>[] {
  const router = new Router<ApiState>({ sensitive: true });
  const index = createRouteIndex();
  for (const route of routes.toSorted(bySpecificity)) {
    const { operation } = route;
    const path = routerPath(operation);
    const handler = createOperationHandler(route, api);
    router[operation.method](path, handler);
    index.add(operation.method.toUpperCase(), path, handler);
  }
  // Claude Code requests its base URL to check that the server is reachable.
  router.get('/api', (ctx) => void (ctx.status = 200));
  router.use(pages.routes());
  const operations = routes.map(({ operation }) => operation);
  const selectMessages = selectMessagesOf(operations);
  return [
    refuseAmbiguousHead(selectMessages),
    takeShortcut(index),
    refuseMalformedPath(operations, selectMessages),
    router.routes() as Middleware<ApiState>,
    refuseUnmatched,
  ];
}

type SelectMessages = (ctx: ApiContext) => void;

/** Returns a function that selects exact messages if the request is for an operation that has them. */
function selectMessagesOf(operations: readonly OperationDefinition[]): SelectMessages {
  const exact = operations.filter(({ errorMessages }) => errorMessages === 'exact');
  const paths = exact.map((operation) => [operation.method.toUpperCase(), patternOf(operation)] as const);
  return (ctx) => {
    const isExact = paths.some(([method, path]) => method === ctx.method && path.test(ctx.path));
    if (isExact) ctx.state.errorMessages = 'exact';
  };
}

function refuseAmbiguousHead(selectMessages: SelectMessages): Middleware<ApiState> {
  return (ctx, next) => {
    const problem = problemOfHead(ctx.req);
    if (problem === undefined) return next();
    speakDialectOfCaller(ctx);
    selectMessages(ctx);
    throw invalidRequest(problem);
  };
}

function takeShortcut(index: RouteIndex): Middleware<ApiState> {
  return (ctx, next) => {
    const found = index.find(ctx.method, ctx.path);
    if (found === undefined) return next();
    ctx['params'] = found.params;
    return found.handler(ctx, next);
  };
}

/** Converts `/videos/{jobId}` to `/api/v1/videos/:jobId`, and `/{path…}` to `{/*path}`, which may be empty. */
function routerPath({ base, path }: OperationDefinition): string {
  const template = path.replace(/\/\{(\w+)…\}$/, '{/*$1}');
  return (base === 'root' ? '' : API_BASE) + template.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Sorts literal segments before parameters: `/videos/models` is not a job called "models". */
function bySpecificity(a: Route<never>, b: Route<never>): number {
  const [left, right] = [rank(a.operation.path), rank(b.operation.path)];
  return left < right ? -1 : Number(left > right);
}

function rank(path: string): string {
  return path.replaceAll(/\{\w+…?\}/g, '\u{10ffff}');
}

/**
 * Rejects malformed paths, except those of the programme of interns: its gate decides first, and a malformed id is an
 * unknown intern.
 */
function refuseMalformedPath(
  operations: readonly OperationDefinition[],
  selectMessages: SelectMessages,
): Middleware<ApiState> {
  const excepted = operations.filter(({ programme }) => programme !== undefined).map(patternOf);
  return async (ctx, next) => {
    if (!isEncoded(ctx.path) && !excepted.some((pattern) => pattern.test(ctx.path))) {
      speakDialectOfCaller(ctx);
      selectMessages(ctx);
      throw invalidRequest({ path: 'params', message: 'must be percent-encoded UTF-8' });
    }
    await next();
  };
}

/** Returns a pattern for the path before it is decoded. */
function patternOf(operation: OperationDefinition): RegExp {
  const pattern = routerPath(operation)
    .replace(/\{\/\*\w+\}$/, '(?:/.*)?')
    .replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`);
}

/**
 * Returns whether a path is correctly encoded. Unescaped bytes beyond ASCII are not: Node decodes them as other
 * characters.
 */
function isEncoded(path: string): boolean {
  return !/[^\x21-\x7e]/.test(path) && isPercentEncoded(path);
}

const refuseUnmatched: Middleware<ApiState> = async (ctx) => {
  speakDialectOfCaller(ctx);
  if (isUnsupportedScim(ctx.method, ctx.path)) throw new AppError('not_implemented');
  const matched: { methods: string[] }[] = ctx['matched'] ?? [];
  const methods = new Set(matched.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new AppError('not_found');
  throw new AppError('method_not_allowed', { headers: { allow: [...methods].toSorted().join(', ') } });
};

/** Optional parts of RFC 7644 that the SCIM server does not have. */
const UNSUPPORTED_SCIM = new Set([
  'POST /Bulk',
  'POST /.search',
  'POST /Users/.search',
  'POST /Groups/.search',
]);

function isUnsupportedScim(method: string, path: string): boolean {
  if (!path.startsWith(`${SCIM_BASE}/`)) return false;
  const below = path.slice(SCIM_BASE.length);
  return below === '/Me' || UNSUPPORTED_SCIM.has(`${method} ${below}`);
}
