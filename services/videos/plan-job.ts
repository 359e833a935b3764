/** Decides which model, endpoints and account run a video job, and fixes its price. */
import type { Handle } from '../../db/postgres/connection.ts';
import type { VideoEndpoint, VideoModel } from '../../domain/catalog/catalog.ts';
import { invalidRequest, type Issue } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { isMetered, type JobTerms, quoteVideo, type VideoQuote } from '../../domain/videos/video-price.ts';
import type { ProviderSort } from '../../domain/accounts/workspace.ts';
import { shapeRequest, type ShapedRequest, type VideoRequest } from '../../domain/videos/video-request.ts';
import { findReferences, withReferences } from '../live/vendor-references/find-references.ts';
import { issuesOfUrl } from '../refused-url.ts';
import { planContinuation } from './plan-continuation.ts';
import { type ChoiceDeps, findChoices, type ShapedChoice, type VideoChoice } from './video-choices.ts';

export interface JobPlan {
  model: VideoModel;
  /** The candidates in order of preference; the first one fixes the price. */
  endpoints: [VideoEndpoint, ...VideoEndpoint[]];
  /** The customer's own credential; null for the operator's. */
  credentialId: string | null;
  shaped: ShapedRequest;
  /** The price, or the most that a job can cost whose provider reports the units (ADR 0091). It is reserved. */
  priceNanos: Nanos;
  /** The prices of each endpoint by its id. Absent: the job costs `priceNanos` at every endpoint. */
  terms?: JobTerms | undefined;
}

export interface PlanDeps extends ChoiceDeps {
  knex: Handle;
  /** Throws for a URL that the outbound guard would certainly refuse later. */
  checkUrl(url: string): void;
  /** Does the same for media, which may also come from this gateway. */
  checkMediaUrl(url: string): void;
}

const MAX_ISSUES = 50;

/**
 * Decides where a request may run and what it costs, before any money is reserved. Returns the best plan. If that plan
 * uses the operator's credential, a plan with the customer's own may follow, for use when the money does not cover the
 * first. Throws 400 and 404.
 */
export async function planJob(
  deps: PlanDeps,
  principal: Principal,
  request: VideoRequest,
): Promise<[JobPlan, ...JobPlan[]]> {
  const { choices, sort } = await findChoices(deps, principal, request.model);
  const [choice, ...others] = choices;
  const shaped =
    request.previousJobId === undefined
      ? [choice, ...others].map((one) => shapeFor(request, one))
      : [await planContinuation(deps, principal, request, request.previousJobId, [choice, ...others])];
  const references = findReferences({ provider: { options: request.passthrough } });
  const allowed = shaped.map((one) => refuseReferences(one, references));
  const [first, ...rest] = allowed.flatMap((one) => planOf(one, request, sort));
  const urlIssues = issuesOfUrls(deps, request);
  if (first === undefined || urlIssues.length > 0) {
    const shapes = allowed.flatMap((one) => one.shapes.map(({ shape }) => shape));
    const misfits = first === undefined ? closestMisfit(shapes) : [];
    throw invalidRequest(...[...urlIssues, ...misfits].slice(0, MAX_ISSUES));
  }
  const own =
    first.credentialId === null ? rest.find(({ credentialId }) => credentialId !== null) : undefined;
  return own === undefined ? [first] : [first, own];
}

function shapeFor(request: VideoRequest, choice: VideoChoice): ShapedChoice {
  const shapes = choice.endpoints.map((endpoint) => ({
    endpoint,
    shape: shapeRequest(request, endpoint.capabilities, endpoint.providerSlug),
  }));
  return { ...choice, shapes };
}

/**
 * Returns a choice that cannot make the video, if the operator's account would get references to stored objects or to
 * addresses (ADR 0074).
 */
function refuseReferences(choice: ShapedChoice, references: readonly Issue[]): ShapedChoice {
  if (references.length === 0 || choice.credentialId !== null) return choice;
  const shapes = choice.shapes.map(({ endpoint, shape }) => ({
    endpoint,
    shape: { issues: withReferences(references, 'issues' in shape ? shape.issues : []) },
  }));
  return { ...choice, shapes };
}

/** Returns the plan of an account; an empty list when none of its endpoints supports the request. */
function planOf(
  { model, credentialId, shapes }: ShapedChoice,
  request: VideoRequest,
  sort: ProviderSort | null,
): JobPlan[] {
  const hasVideoInput = takesVideo(request);
  const fitting = shapes.flatMap(({ endpoint, shape }): FittingEndpoint[] =>
    'issues' in shape ? [] : [{ endpoint, shape, quote: quoteVideo({ ...shape, hasVideoInput }, endpoint) }],
  );
  if (sort === 'price') fitting.sort((a, b) => Number(estimateOf(a) - estimateOf(b)));
  const [first, ...others] = fitting;
  if (first === undefined) return [];
  return [
    {
      model,
      endpoints: [first.endpoint, ...others.map(({ endpoint }) => endpoint)],
      credentialId,
      shaped: first.shape,
      ...priceOf([first, ...others]),
    },
  ];
}

interface FittingEndpoint {
  endpoint: VideoEndpoint;
  shape: ShapedRequest;
  quote: VideoQuote;
}

/**
 * Returns the price of the first endpoint. If one of the endpoints has prices for units that its provider reports, the
 * terms of all endpoints decide instead, and the most that any of them can cost is reserved.
 */
function priceOf(fitting: [FittingEndpoint, ...FittingEndpoint[]]): Pick<JobPlan, 'priceNanos' | 'terms'> {
  const most = fitting.map(({ quote }) => quote.mostNanos);
  if (!fitting.some(({ quote }) => isMetered(quote.terms))) return { priceNanos: fitting[0].quote.mostNanos };
  return {
    priceNanos: most.reduce((a, b) => (a > b ? a : b)),
    terms: Object.fromEntries(fitting.map(({ endpoint, quote }) => [endpoint.id, quote.terms])),
  };
}

function estimateOf({ quote }: FittingEndpoint): Nanos {
  return BigInt(quote.terms.estimateNanos);
}

/** Returns whether the video is made from another one. */
export function takesVideo({ previousJobId, inputReferences = [] }: VideoRequest): boolean {
  return previousJobId !== undefined || inputReferences.some(({ kind }) => kind === 'video');
}

/**
 * Returns the issues of the endpoint with the fewest. Issues of several endpoints together would contradict each
 * other.
 */
function closestMisfit(shapes: (ShapedRequest | { issues: Issue[] })[]): Issue[] {
  const misfits = shapes.flatMap((shape) => ('issues' in shape ? [shape.issues] : []));
  const [closest = []] = misfits.toSorted((a, b) => a.length - b.length);
  return closest;
}

function issuesOfUrls(deps: PlanDeps, request: VideoRequest): Issue[] {
  const { callbackUrl, frameImages = [], inputReferences = [] } = request;
  const media = [
    ...frameImages.map(({ url }, i) => ({ path: `frame_images.${i}.image_url.url`, url })),
    ...inputReferences.map(({ kind, url }, i) => ({ path: `input_references.${i}.${kind}_url.url`, url })),
  ].filter(({ url }) => !url.startsWith('data:'));
  return [
    ...(callbackUrl === undefined ? [] : issuesOfUrl(deps.checkUrl, 'body.callback_url', callbackUrl)),
    ...media.flatMap(({ path, url }) => issuesOfUrl(deps.checkMediaUrl, `body.${path}`, url)),
  ];
}
