import type { ProviderRow } from '../../db/catalog/catalog-store.ts';
import type { ListedModel } from '../../domain/catalog/listed-model.ts';
import { matchesFilter, type ModelFilter } from '../../domain/catalog/model-filter.ts';
import { byAge, type ModelSort, sortModels } from '../../domain/catalog/model-order.ts';
import type { Catalog } from './catalog.ts';
import { unknownModel } from './unreachable-model.ts';
import type { ModelStatistics } from './statistics/model-statistics.ts';

export interface ModelServiceOptions {
  catalog: Pick<Catalog, 'listedModels' | 'findListedModel' | 'providers' | 'providerName'>;
  statistics: Pick<ModelStatistics, 'performanceOf' | 'popularityOf'>;
}

/** Answers callers' queries about the catalog, from memory only. */
export function createModelService({ catalog, statistics }: ModelServiceOptions) {
  let models: readonly ListedModel[] = [];
  let textModels: readonly ListedModel[] = [];
  return {
    /** Returns the models that generate text, the newest first. The list is one object until the catalog changes. */
    textModels(): readonly ListedModel[] {
      const current = catalog.listedModels();
      if (current !== models) {
        models = current;
        textModels = current.filter(({ outputModalities }) => outputModalities.includes('text'));
      }
      return textModels;
    },
    /** Returns the models that pass the filter. `own` are further models, which only the caller reaches. */
    list(filter: ModelFilter, sort: ModelSort = 'newest', own: readonly ListedModel[] = []): ListedModel[] {
      const facts = { providerName: catalog.providerName, nowMs: Date.now() };
      const listed = catalog.listedModels();
      const all = own.length === 0 ? listed : [...listed, ...own].toSorted(byAge);
      const matching = all.filter((model) => matchesFilter(model, filter, facts));
      return sortModels(matching, sort, statistics);
    },
    /** Returns a model by its name. Throws 404 when the name is unknown or the model has no reachable endpoint. */
    find(name: string): ListedModel {
      const model = catalog.findListedModel(name);
      if (model === undefined) throw unknownModel(name, catalog.listedModels(), { path: 'params' });
      return model;
    },
    performanceOf: statistics.performanceOf,
    /** Returns the providers that serve a listed model, by slug. */
    providers(): ProviderRow[] {
      const serving = new Set(catalog.listedModels().flatMap(slugsOf));
      return catalog.providers().filter(({ slug }) => serving.has(slug));
    },
    providerName: catalog.providerName,
  };
}

export type ModelService = ReturnType<typeof createModelService>;

function slugsOf({ endpoints }: ListedModel): string[] {
  return endpoints.map(({ providerSlug }) => providerSlug);
}
