/** Finds the accounts and endpoints that could make a video of the requested model for the caller. */
import type { VideoEndpoint, VideoModel } from '../../domain/catalog/catalog.ts';
import type { AppError, Issue } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ProviderSort } from '../../domain/accounts/workspace.ts';
import type { ShapedRequest } from '../../domain/videos/video-request.ts';
import type { OwnView } from '../endpoints/own-view.ts';
import type { OwnViews } from '../endpoints/own-views.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { readModelVariant } from '../catalog/model-variant.ts';
import { servedElsewhere, modelWithoutCredential, unknownModel } from '../catalog/unreachable-model.ts';

/** One account that could make a video, with its endpoints for the model, best first. */
export interface VideoChoice {
  model: VideoModel;
  endpoints: VideoEndpoint[];
  /** The customer's own credential; null for the operator's. */
  credentialId: string | null;
}

/** An endpoint with the shape that it gives the request, or with the issues that prevent one. */
export interface EndpointShape {
  endpoint: VideoEndpoint;
  shape: ShapedRequest | { issues: Issue[] };
}

export interface ShapedChoice extends VideoChoice {
  shapes: EndpointShape[];
}

export interface ChoiceDeps {
  catalog: Catalog;
  ownViews: Pick<OwnViews, 'of'>;
}

/**
 * The accounts that may make a video of a named model, and the sorting that the name requests; null when it requests
 * none.
 */
export interface FoundChoices {
  choices: [VideoChoice, ...VideoChoice[]];
  sort: ProviderSort | null;
}

const MODEL = 'body.model';

/**
 * Returns the choices for a model's name, or for the name without a sorting suffix. The speed of videos is not
 * measured, so `:nitro` keeps the order of the catalog. Throws 404 when there are none, and 400 for an invalid suffix.
 */
export async function findChoices(
  { catalog, ownViews }: ChoiceDeps,
  principal: Principal,
  name: string,
): Promise<FoundChoices> {
  const view = await ownViews.of(principal);
  const choicesOf = (model: string): VideoChoice[] => choicesIn(catalog, view, principal, model);
  const isReachable = (model: string): boolean => choicesOf(model).length > 0;
  const [choice, ...others] = choicesOf(name);
  if (choice !== undefined) return { choices: [choice, ...others], sort: null };
  const variant = catalog.findKnownModel(name) === undefined ? readModelVariant(name, MODEL) : null;
  if (variant === null) throw unreachable(catalog, name, isReachable);
  const { model, sort } = variant;
  const [first, ...rest] = choicesOf(model);
  if (first === undefined) throw unreachable(catalog, model, isReachable);
  return { choices: [first, ...rest], sort };
}

/** Returns the 404 for a model that another operation serves, that has no credential here, or that is unknown. */
function unreachable(catalog: Catalog, name: string, isReachable: (id: string) => boolean): AppError {
  const elsewhere = servedElsewhere(catalog, name, 'video', MODEL);
  if (elsewhere !== null) return elsewhere;
  const isKnown = catalog.findKnownVideoModel(name) !== undefined;
  if (isKnown && catalog.findVideoModel(name) === undefined) return modelWithoutCredential(name, MODEL);
  return unknownModel(name, catalog.knownModels(), { path: MODEL, isReachable });
}

/**
 * Returns the accounts that may make a video of the model for the caller, in order: the customer's own credentials,
 * the operator's, then the customer's fallbacks. Empty for a model that is unknown or unreachable. A job stays with
 * one account.
 */
function choicesIn(
  catalog: Catalog,
  view: OwnView | null,
  principal: Principal,
  name: string,
): VideoChoice[] {
  const model = catalog.findVideoModel(name);
  const shared = model === undefined ? [] : [{ model, endpoints: model.endpoints, credentialId: null }];
  const known = view === null ? undefined : catalog.findKnownVideoModel(name);
  if (view === null || known === undefined) return shared;
  const own = view.credentials(known, principal).map(({ id, providerSlug, isFallback }) => ({
    isFallback,
    model: known,
    endpoints: known.endpoints.filter((endpoint) => endpoint.providerSlug === providerSlug),
    credentialId: id,
  }));
  return [
    ...own.filter(({ isFallback }) => !isFallback),
    ...(view.allowsShared(known, principal) ? shared : []),
    ...own.filter(({ isFallback }) => isFallback),
  ].filter(({ endpoints }) => endpoints.length > 0);
}
