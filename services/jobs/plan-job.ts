import type { Handle } from '../../db/connection.ts';
import type { VideoEndpoint, VideoModel } from '../../domain/catalog.ts';
import { AppError, invalidRequest, type Issue } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { priceOf } from '../../domain/video-price.ts';
import { shapeRequest, type ShapedRequest, type VideoRequest } from '../../domain/video-request.ts';
import type { Catalog } from '../routing/catalog.ts';
import { type EndpointShape, planContinuation } from './plan-continuation.ts';

export interface JobPlan {
  model: VideoModel;
  /** Candidates in order of preference; the first fixes the price. */
  endpoints: [VideoEndpoint, ...VideoEndpoint[]];
  shaped: ShapedRequest;
  priceNanos: Nanos;
}

export interface PlanDeps {
  knex: Handle;
  catalog: Catalog;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

const MAX_ISSUES = 50;

/** Decides where a request may run and what it costs, before anything is spent. Throws 400 and 404. */
export async function planJob(deps: PlanDeps, principal: Principal, request: VideoRequest): Promise<JobPlan> {
  const model = deps.catalog.findVideoModel(request.model);
  if (model === undefined) throw new AppError('not_found', { reason: 'model_not_found' });
  const shaped: EndpointShape[] =
    request.previousJobId === undefined
      ? model.endpoints.map((endpoint) => ({
          endpoint,
          shape: shapeRequest(request, endpoint.capabilities, endpoint.providerSlug),
        }))
      : [await planContinuation(deps, principal, request, request.previousJobId, model)];
  const fitting = shaped.flatMap(({ endpoint, shape }) => ('issues' in shape ? [] : [{ endpoint, shape }]));
  const [first, ...others] = fitting;
  const urlIssues = issuesOfUrls(deps, request);
  if (first === undefined || urlIssues.length > 0) {
    const misfits = first === undefined ? closestMisfit(shaped.map(({ shape }) => shape)) : [];
    throw invalidRequest(...[...urlIssues, ...misfits].slice(0, MAX_ISSUES));
  }
  return {
    model,
    endpoints: [first.endpoint, ...others.map((other) => other.endpoint)],
    shaped: first.shape,
    priceNanos: priceOf(first.shape, first.endpoint.pricingSkus),
  };
}

/** Of the endpoint that misses least, the first of several: rules of different endpoints would contradict. */
function closestMisfit(shapes: (ShapedRequest | { issues: Issue[] })[]): Issue[] {
  const misfits = shapes.flatMap((shape) => ('issues' in shape ? [shape.issues] : []));
  const [closest = []] = misfits.toSorted((a, b) => a.length - b.length);
  return closest;
}

function issuesOfUrls(deps: PlanDeps, request: VideoRequest): Issue[] {
  const named: [string, string | undefined][] = [
    ['body.callback_url', request.callbackUrl],
    ...(request.frameImages ?? []).map((frame, i): [string, string] => [
      `body.frame_images.${i}.image_url.url`,
      frame.url,
    ]),
    ...(request.inputReferences ?? []).map(({ kind, url }, i): [string, string] => [
      `body.input_references.${i}.${kind}_url.url`,
      url,
    ]),
  ];
  return named.flatMap(([path, url]): Issue[] => {
    if (url === undefined || url.startsWith('data:')) return [];
    try {
      deps.checkUrl(url);
      return [];
    } catch (error) {
      return [{ path, message: error instanceof Error ? error.message : 'is not allowed' }];
    }
  });
}
