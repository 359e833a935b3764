import type { Middleware } from 'koa';
import type { ApiState } from './context.ts';

type Handler = Middleware<ApiState>;

/** A path by its segments. */
interface Template {
  /** Undefined stands for a parameter. Any text that is not empty fits it. */
  literals: readonly (string | undefined)[];
  parameters: readonly { name: string; place: number }[];
  handler: Handler;
}

export interface FoundRoute {
  handler: Handler;
  params: Record<string, string>;
}

/**
 * Finds the route of most requests without holding their path against the pattern of every route. What it does not find is
 * left to the router: paths with encoded characters or a slash at their end, and routes that take any rest of a path.
 */
export interface RouteIndex {
  /** A path without parameters is found first; of several others that match, the one that was added first. */
  add(method: string, path: string, handler: Handler): void;
  find(method: string, path: string): FoundRoute | undefined;
}

const NO_PARAMS: Record<string, string> = Object.freeze({});

/** Characters that stand for themselves in a path. */
const PLAIN_PATH = /^[\w\-.~/:@!$&'()*+,;=]+$/;

export function createRouteIndex(): RouteIndex {
  const templates = new Map<string, Template[]>();
  /** Paths without parameters, which most generations are sent to. */
  const exact = new Map<string, FoundRoute>();
  return {
    add(method, path, handler) {
      if (!path.includes(':')) {
        exact.set(`${method} ${path}`, { handler, params: NO_PARAMS });
        return;
      }
      const segments = path.split('/');
      const key = keyOf(method, segments);
      const template = {
        literals: segments.map((text) => (text.startsWith(':') ? undefined : text)),
        parameters: segments.flatMap((text, place) =>
          text.startsWith(':') ? [{ name: text.slice(1), place }] : [],
        ),
        handler,
      };
      const others = templates.get(key);
      if (others === undefined) templates.set(key, [template]);
      else others.push(template);
    },
    find(method, path) {
      const known = exact.get(`${method} ${path}`);
      if (known !== undefined) return known;
      if (!PLAIN_PATH.test(path)) return undefined;
      const segments = path.split('/');
      const found = templates.get(keyOf(method, segments))?.find(({ literals }) => fits(segments, literals));
      if (found === undefined) return undefined;
      const params: Record<string, string> = {};
      for (const { name, place } of found.parameters) params[name] = segments[place]!;
      return { handler: found.handler, params };
    },
  };
}

function keyOf(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length}`;
}

/** Compares from the last segment to the first: paths differ most at their end, so most comparisons stop early. */
function fits(segments: readonly string[], literals: readonly (string | undefined)[]): boolean {
  for (let place = segments.length - 1; place > 0; place -= 1) {
    const literal = literals[place];
    if (literal === undefined ? segments[place] === '' : literal !== segments[place]) return false;
  }
  return true;
}
