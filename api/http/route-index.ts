/** Looks up the handler of a request by its method and path. */
import type { Middleware } from 'koa';
import type { ApiState } from './context.ts';

type Handler = Middleware<ApiState>;

export interface FoundRoute {
  handler: Handler;
  params: Record<string, string>;
}

/**
 * Finds the route of most requests without testing every route's pattern. The router handles the other paths: those
 * with encoded characters or a trailing slash.
 */
export interface RouteIndex {
  /** Adds a route. Paths without parameters take precedence, then those that were added first. */
  add(method: string, path: string, handler: Handler): void;
  find(method: string, path: string): FoundRoute | undefined;
}

/** A path split into segments. */
interface Template {
  /** The literal segments; undefined is a parameter, which matches any text that is not empty. */
  literals: readonly (string | undefined)[];
  parameters: readonly { name: string; place: number }[];
  /** The name of the parameter for the rest of the path; absent if the path must end here. */
  rest?: string | undefined;
  handler: Handler;
}

const NO_PARAMS: Record<string, string> = Object.freeze({});

/** Matches paths of characters that need no decoding. */
const PLAIN_PATH = /^[\w\-.~/:@!$&'()*+,;=]+$/;

export function createRouteIndex(): RouteIndex {
  const templates = new Map<string, Template[]>();
  /** Routes without parameters, which serve most generations. */
  const exact = new Map<string, FoundRoute>();
  /** Routes that accept a rest of the path, by method. */
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

/** Parses a path of the router: `/a/:b`, or `/a/:b{/*c}` with a rest. */
function templateOf(path: string, handler: Handler): Template {
  const [, fixed = '', rest] = /^(.*?)(?:\{\/\*(\w+)\})?$/.exec(path) ?? [];
  const segments = fixed.split('/');
  return {
    literals: segments.map((text) => (text.startsWith(':') ? undefined : text)),
    parameters: segments.flatMap((text, place) =>
      text.startsWith(':') ? [{ name: text.slice(1), place }] : [],
    ),
    rest,
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
 * Returns whether segments match a template. It compares from the last segment, since paths differ most at their end.
 */
function fits(segments: readonly string[], literals: readonly (string | undefined)[]): boolean {
  for (let place = literals.length - 1; place > 0; place -= 1) {
    const literal = literals[place];
    const segment = segments[place] ?? '';
    if (literal === undefined ? segment === '' : literal !== segment) return false;
  }
  return true;
}
