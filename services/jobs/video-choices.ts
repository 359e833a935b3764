import type { VideoEndpoint, VideoModel } from '../../domain/catalog.ts';
import type { Issue } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ShapedRequest } from '../../domain/video-request.ts';
import type { OwnViews } from '../endpoints/own-views.ts';
import type { Catalog } from '../routing/catalog.ts';

/** One account that could make a video, and its endpoints of the model, best first. */
export interface VideoChoice {
  model: VideoModel;
  endpoints: VideoEndpoint[];
  /** The customer's own credential; null for the operator's. */
  credentialId: string | null;
}

/** An endpoint, and what it would make of the request or cannot do. */
export interface EndpointShape {
  endpoint: VideoEndpoint;
  shape: ShapedRequest | { issues: Issue[] };
}

export interface ShapedChoice extends VideoChoice {
  shapes: EndpointShape[];
}

export interface ChoiceDeps {
  catalog: Catalog;
  brought: Pick<OwnViews, 'of'>;
}

/**
 * Returns the accounts that may make a video of the model for the caller, in their order: the customer's own credentials,
 * the operator's, then the customer's fallbacks. Empty for an unknown model and one that nobody can reach. A job stays with
 * one account.
 */
export async function choicesOf(
  { catalog, brought }: ChoiceDeps,
  principal: Principal,
  name: string,
): Promise<VideoChoice[]> {
  const model = catalog.findVideoModel(name);
  const shared = model === undefined ? [] : [{ model, endpoints: model.endpoints, credentialId: null }];
  const view = await brought.of(principal);
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
