import type { Middleware } from 'koa';
import type { ApiState } from './context.ts';

type Handler = Middleware<ApiState>;

/** A path by its segments. */
interface Template {
  /** Undefined stands for a parameter. Any text that is not empty fits it. */
  literals: readonly (string | undefined)[];
  parameters: readonly { name: string; place: number }[];
  /** The name of what follows the segments; absent where nothing may follow. */
  rest?: string;
  handler: Handler;
}

export interface FoundRoute {
  handler: Handler;
  params: Record<string, string>;
}

/**
 * Finds the route of most requests without holding their path against the pattern of every route. What it does not find is
 * left to the router: paths with encoded characters, and those with a slash at their end where no rest of a path is taken.
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
  /** By method: those that take any rest of a path. */
  const open = new Map<string, Template[]>();
  return {
    add(method, path, handler) {
      if (!path.includes(':')) {
        exact.set(`${method} ${path}`, { handler, params: NO_PARAMS });
        return;
      }
      const template = templateOf(path, handler);
      const [group, key] =
        template.rest === undefined ? [templates, keyOf(method, template.literals.length)] : [open, method];
      group.set(key, [...(group.get(key) ?? []), template]);
    },
    find(method, path) {
      const known = exact.get(`${method} ${path}`);
      if (known !== undefined) return known;
      if (!PLAIN_PATH.test(path)) return undefined;
      const segments = path.split('/');
      const fitting = ({ literals }: Template): boolean => fits(segments, literals);
      const found =
        templates.get(keyOf(method, segments.length))?.find(fitting) ?? open.get(method)?.find(fitting);
      return found && { handler: found.handler, params: paramsOf(found, segments) };
    },
  };
}

/** Reads a path of the router: `/a/:b`, or `/a/:b{/*c}` where anything may follow. */
function templateOf(path: string, handler: Handler): Template {
  const [, fixed = '', rest] = /^(.*?)(?:\{\/\*(\w+)\})?$/.exec(path) ?? [];
  const segments = fixed.split('/');
  return {
    literals: segments.map((text) => (text.startsWith(':') ? undefined : text)),
    parameters: segments.flatMap((text, place) =>
      text.startsWith(':') ? [{ name: text.slice(1), place }] : [],
    ),
    ...(rest === undefined ? {} : { rest }),
    handler,
  };
}

function paramsOf({ literals, parameters, rest }: Template, segments: readonly string[]) {
  const params: Record<string, string> = {};
  for (const { name, place } of parameters) params[name] = segments[place]!;
  if (rest !== undefined && segments.length > literals.length) {
    params[rest] = segments.slice(literals.length).join('/');
  }
  return params;
}

function keyOf(method: string, segments: number): string {
  return `${method} ${segments}`;
}

/**
 * Returns whether a path begins with these segments. It compares from the last to the first: paths differ most at their end,
 * so most comparisons stop early.
 */
function fits(segments: readonly string[], literals: readonly (string | undefined)[]): boolean {
  for (let place = literals.length - 1; place > 0; place -= 1) {
    const literal = literals[place];
    const segment = segments[place] ?? '';
    if (literal === undefined ? segment === '' : literal !== segment) return false;
  }
  return true;
}
