/** Finds a model by a name that a caller gives. */
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import { resolveNames } from '../../domain/catalog/derived-names.ts';

/** Returns a model of one list by its name; undefined when the list lacks it. */
export type ModelNames<M> = (name: string) => M | undefined;

/** Returns the id of the model that has a name; undefined for an unknown name. */
export type ModelIds = (name: string) => string | undefined;

/**
 * Resolves names of models by the rules of `resolveNames`. Derived names prefer models of which an endpoint is
 * reachable, then those that have one. `author/alias:variant` names that variant of the aliased model, if there is one.
 *
 * All lists of models use the same names, so that a name means one model in every check of a request.
 */
export function nameModels(
  { models, endpoints, liveEndpoints }: Pick<CatalogRows, 'models' | 'endpoints' | 'liveEndpoints'>,
  isReachable: (endpoint: { providerSlug: string }) => boolean = () => true,
): ModelIds {
  const served = Map.groupBy([...endpoints, ...liveEndpoints], ({ modelId }) => modelId);
  const named = models.map((model) => {
    const own = served.get(model.id) ?? [];
    const rank = own.some(isReachable) ? 2 : Math.min(own.length, 1);
    return { ...model, rank, upstreamModelIds: own.map(({ upstreamModelId }) => upstreamModelId) };
  });
  const byName = resolveNames(named);
  return (name) => {
    const id = byName.get(name);
    if (id !== undefined) return id;
    const colon = name.lastIndexOf(':');
    const base = colon === -1 ? undefined : byName.get(name.slice(0, colon));
    return base && byName.get(base + name.slice(colon));
  };
}

/** Finds the models of a list by their names. */
export function namesWithin<M extends { id: string }>(models: readonly M[], idOf: ModelIds): ModelNames<M> {
  const byId = new Map(models.map((model) => [model.id, model]));
  return (name) => {
    // Most callers give the id, which no other model can have as a name.
    const model = byId.get(name);
    if (model !== undefined) return model;
    const id = idOf(name);
    return id === undefined ? undefined : byId.get(id);
  };
}
