/** Finds the models that a caller can use only through its workspace's own endpoints and credentials. */
import { LIVE_CAPABILITIES } from '../../domain/catalog/catalog.ts';
import {
  type ListedEndpoint,
  type ListedModel,
  listLiveEndpoint,
  listModel,
  listVideoEndpoint,
} from '../../domain/catalog/listed-model.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Catalog, KnownModel } from '../catalog/catalog.ts';
import type { OwnView } from './own-view.ts';
import type { OwnViews } from './own-views.ts';

export interface OwnModelsDeps {
  catalog: Pick<Catalog, 'knownModels' | 'findKnownVideoModel' | 'findListedModel'>;
  ownViews: Pick<OwnViews, 'of'>;
}

export function createOwnModels({ catalog, ownViews }: OwnModelsDeps) {
  return {
    /**
     * Returns the models that the caller reaches only with its workspace's own endpoints and keys. Empty for most
     * callers.
     */
    async of(caller: Principal): Promise<ListedModel[]> {
      const view = await ownViews.of(caller);
      if (view === null) return [];
      return catalog.knownModels().flatMap((model) => {
        if (catalog.findListedModel(model.id) !== undefined) return [];
        const { endpoints: _, ...facts } = model;
        const [first, ...others] = [
          ...liveEndpoints(view, model, caller),
          ...videoEndpoints(view, catalog, model, caller),
        ];
        return first === undefined ? [] : [listModel(facts, [first, ...others])];
      });
    },
  };
}

function liveEndpoints(view: OwnView, model: KnownModel, caller: Principal): ListedEndpoint[] {
  return LIVE_CAPABILITIES.flatMap((capability) =>
    view.targets(model, capability, caller).map(({ endpoint }) => listLiveEndpoint(endpoint, Date.now())),
  );
}

function videoEndpoints(
  view: OwnView,
  catalog: Pick<Catalog, 'findKnownVideoModel'>,
  { id }: KnownModel,
  caller: Principal,
): ListedEndpoint[] {
  const video = catalog.findKnownVideoModel(id);
  if (video === undefined) return [];
  const slugs = new Set(view.credentials(video, caller).map(({ providerSlug }) => providerSlug));
  return video.endpoints.filter(({ providerSlug }) => slugs.has(providerSlug)).map(listVideoEndpoint);
}

export type OwnModels = ReturnType<typeof createOwnModels>;
