/** Masks the parts of a destination's URL that may be secret: values of its query, and segments of its path. */
import { looksMasked, maskSecret } from '../masked-secret.ts';
import type { DestinationType } from './destination.ts';

/** The segments of the path that each tool documents. A type without an entry has no documented path. */
const DOCUMENTED_SEGMENTS: { readonly [Type in DestinationType]?: readonly string[] } = {
  arize: ['v1', 'traces'],
  braintrust: ['otel', 'v1', 'traces'],
  datadog: ['api', 'intake', 'llm-obs', 'v1', 'trace', 'spans'],
  grafana: ['otlp', 'v1', 'traces'],
  langfuse: ['api', 'public', 'otel', 'v1', 'traces'],
  // LangSmith on an own server has `/api/v1` before it.
  langsmith: ['api', 'v1', 'otel', 'traces'],
  'otel-collector': ['v1', 'traces'],
  posthog: ['batch'],
  ramp: ['developer', 'v1', 'ai-usage', 'openrouter', 'unified'],
  sentry: ['api', 'integration', 'otlp', 'v1', 'traces'],
  weave: ['traces', 'otel', 'v1'],
};

const ALL_DOCUMENTED_SEGMENTS = Object.values(DOCUMENTED_SEGMENTS).flat();

/** A piece of a URL. All pieces together are the URL. */
interface Piece {
  text: string;
  isSecret: boolean;
}

/** Returns the URL with masks in place of the parts that may be secret. A URL without such parts stays as it is. */
export function maskUrl(type: DestinationType, url: string): string {
  const pieces = piecesOf(type, url);
  if (!pieces.some(({ isSecret }) => isSecret)) return url;
  return pieces.map(({ text, isSecret }) => (isSecret ? maskSecret(text) : text)).join('');
}

/** Returns the parts of a URL that may be secret, without the segments that any tool documents. */
export function secretPartsOf(url: string): string[] {
  return piecesOf(undefined, url).flatMap(({ text, isSecret }) => (isSecret ? [text] : []));
}

/** Returns whether a part of a URL has the form of a mask. */
export function hasMaskedPart(url: string): boolean {
  return secretPartsOf(url).some(looksMasked);
}

/** Divides a URL for one type of destination, or for any type if it is undefined. */
function piecesOf(type: DestinationType | undefined, text: string): Piece[] {
  const url = URL.parse(text);
  // No destination has such a URL, because the schema of requests refuses it.
  if (url === null) return [secret(text)];
  const segments = url.pathname.split('/').slice(1);
  const parameters = url.search === '' ? [] : url.search.slice(1).split('&');
  return [
    open(`${url.protocol}//${url.host}`),
    ...segments.flatMap((segment, index) => [
      open('/'),
      isDocumented(type, segments, index) ? open(segment) : secret(segment),
    ]),
    ...parameters.flatMap((parameter, index) => {
      // A parameter without `=` is a value without a name.
      const valueAt = parameter.indexOf('=') + 1;
      const name = `${index === 0 ? '?' : '&'}${parameter.slice(0, valueAt)}`;
      return [open(name), secret(parameter.slice(valueAt))];
    }),
  ];
}

function isDocumented(
  type: DestinationType | undefined,
  segments: readonly string[],
  index: number,
): boolean {
  const segment = segments[index] ?? '';
  const documented = type === undefined ? ALL_DOCUMENTED_SEGMENTS : (DOCUMENTED_SEGMENTS[type] ?? []);
  if (documented.includes(segment)) return true;
  // The number of a project is a part of Sentry's documented path: `/api/42/integration/otlp/v1/traces`.
  return type === 'sentry' && index === 1 && segments[0] === 'api' && /^\d{1,19}$/.test(segment);
}

function open(text: string): Piece {
  return { text, isSecret: false };
}

/** Returns a piece that is masked, unless it is empty. */
function secret(text: string): Piece {
  return { text, isSecret: text !== '' };
}
