/** Protects internal servers from URLs in requests that an upstream would fetch. */
import { invalidRequest, type Issue } from '../../../domain/errors.ts';
import { OutboundBlockedError } from '../../../platform/outbound-error.ts';
import { withoutAdapter } from '../attempt-live.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { fetchMedia } from '../urls/fetch-media.ts';
import type { UrlPlace } from '../urls/url-places.ts';
import { withMedia } from '../urls/with-media.ts';
import type { LiveRequest } from './live-operation.ts';

const MAX_ISSUES = 50;

/**
 * Returns the request in a form in which its URLs cannot reach an internal server. A URL that the outbound guard
 * refuses without DNS is a 400.
 *
 * Vendors get the other URLs unchanged and fetch them from outside. Upstreams that the operator may host get the media:
 * the gateway fetches the media through the guard, once for all targets, when it tries the first such target.
 * `readAgain` reads the body that contains the media.
 */
export function inlineUrls<Body, Answer, Result>(
  deps: LiveDeps,
  call: LiveCall<Body>,
  request: LiveRequest<Answer, Result> & { urls: readonly UrlPlace[] },
  readAgain: (body: Body) => LiveRequest<Answer, Result>,
): LiveRequest<Answer, Result> {
  const { urls } = request;
  let inlined: Promise<LiveRequest<Answer, Result>> | undefined;
  const fetchAll = async () => {
    const media = await fetchMedia(deps.outbound, call, urls);
    return readAgain(withMedia(call.body, urls, media));
  };
  return {
    ...request,
    check() {
      request.check?.();
      refuseForbidden(deps, urls);
    },
    ask(target, context, outputLimit) {
      if (deps.providers.of(target)?.takesUrls === true) return request.ask(target, context, outputLimit);
      inlined ??= fetchAll();
      return inlined.then(
        (read) => read.ask(target, context, outputLimit) ?? Promise.reject(withoutAdapter()),
      );
    },
  };
}

function refuseForbidden({ outbound }: Pick<LiveDeps, 'outbound'>, urls: readonly UrlPlace[]): void {
  const issues = urls.flatMap(({ path, url }): Issue[] => {
    try {
      outbound.checkUrl(url);
      return [];
    } catch (error) {
      if (!(error instanceof OutboundBlockedError)) throw error;
      return [{ path: `body.${path.join('.')}`, message: error.message }];
    }
  });
  if (issues.length > 0) throw invalidRequest(...issues.slice(0, MAX_ISSUES));
}
