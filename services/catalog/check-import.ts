import type { SourcedCatalog } from '../../db/catalog/catalog-store.ts';
import type { LiveEndpoint, VideoEndpoint } from '../../domain/catalog/catalog.ts';
import type { Issue } from '../../domain/errors.ts';
import type { CatalogModel } from '../../domain/catalog/model-facts.ts';
import type { CatalogFile } from '../../providers/catalog-file.ts';
import { isAdapter } from '../../providers/registry.ts';

/**
 * Returns the conflicts among the rows of a file, and between them and the present catalog. `parseCatalogFile` has
 * checked each row by itself.
 */
export function checkImport(file: CatalogFile, present: SourcedCatalog): Issue[] {
  return [...checkProviders(file), ...checkModels(file, present), ...checkEndpoints(file, present)];
}

function checkProviders({ providers }: CatalogFile): Issue[] {
  const seen = new Set<string>();
  return providers.flatMap(({ slug, adapter }, i) => [
    ...checkRepetition(seen, slug, `providers.${i}.slug`),
    ...(isAdapter(adapter)
      ? []
      : [{ path: `providers.${i}.adapter`, message: `${adapter} is not an adapter of this version` }]),
  ]);
}

/** Checks that each name identifies one model, among the models of the file and those that stay unchanged. */
function checkModels({ models }: CatalogFile, present: SourcedCatalog): Issue[] {
  const ids = new Set(models.map(({ id }) => id));
  const owners = new Map<string, string>();
  for (const { model } of present.models) {
    if (!ids.has(model.id)) for (const name of namesOf(model)) owners.set(name, model.id);
  }
  const slugs = new Map(present.models.map(({ model }) => [model.id, model.canonicalSlug]));
  const seen = new Set<string>();
  return models.flatMap((model, i) => {
    const issues = checkRepetition(seen, model.id, `models.${i}.id`);
    const slug = slugs.get(model.id) ?? model.canonicalSlug;
    if (slug !== model.canonicalSlug) {
      // Generations and rankings are stored under the slug.
      const change = `of ${model.id} is ${slug} and cannot become ${model.canonicalSlug}`;
      const message = `${change}; a newer release is a model of its own`;
      issues.push({ path: `models.${i}.canonicalSlug`, message });
    }
    for (const name of namesOf(model)) {
      const owner = owners.get(name) ?? model.id;
      if (owner !== model.id) {
        issues.push({ path: `models.${i}`, message: `${name} is already a name of ${owner}` });
      }
      owners.set(name, owner);
    }
    return issues;
  });
}

function namesOf({ id, canonicalSlug, aliases }: CatalogModel): string[] {
  return [id, canonicalSlug, ...aliases];
}

function checkEndpoints(file: CatalogFile, present: SourcedCatalog): Issue[] {
  const models = new Set([...file.models, ...present.models.map(({ model }) => model)].map(({ id }) => id));
  const providers = new Set(
    [...file.providers, ...present.providers.map(({ provider }) => provider)].map(({ slug }) => slug),
  );
  const ids = new Set([...file.endpoints, ...file.liveEndpoints].map(({ id }) => id));
  const known = new Map(present.endpoints.map(({ endpoint }) => [endpoint.id, endpoint]));
  // Endpoints of the file may exchange their keys.
  const staying = present.endpoints.filter(({ endpoint }) => !ids.has(endpoint.id));
  const idsByKey = new Map(staying.map(({ endpoint }) => [keyOf(endpoint), endpoint.id]));
  const seen = new Set<string>();
  const check = (endpoint: VideoEndpoint | LiveEndpoint, path: string): Issue[] => {
    const { id, modelId, providerSlug } = endpoint;
    const issues = checkRepetition(seen, id, `${path}.id`);
    const add = (field: string, message: string) => issues.push({ path: `${path}.${field}`, message });
    if (!models.has(modelId)) add('modelId', `${modelId} is not a model of the file or the catalog`);
    if (!providers.has(providerSlug)) {
      add('providerSlug', `${providerSlug} is not a provider of the file or the catalog`);
    }
    const other = known.get(id);
    if (other !== undefined && (other.modelId !== modelId || other.providerSlug !== providerSlug)) {
      add('id', `${id} is already that of ${other.modelId} at ${other.providerSlug}`);
    }
    const same = idsByKey.get(keyOf(endpoint)) ?? id;
    if (same !== id) add('upstreamModelId', `is already served to ${modelId} by the endpoint ${same}`);
    idsByKey.set(keyOf(endpoint), same);
    return issues;
  };
  return [
    ...file.endpoints.flatMap((endpoint, i) => check(endpoint, `endpoints.${i}`)),
    ...file.liveEndpoints.flatMap((endpoint, i) => check(endpoint, `liveEndpoints.${i}`)),
  ];
}

/** Returns the key of an endpoint; the catalog has at most one endpoint for each key. */
function keyOf(endpoint: VideoEndpoint | LiveEndpoint): string {
  const capability = 'capability' in endpoint ? endpoint.capability : 'video';
  return JSON.stringify([endpoint.modelId, endpoint.providerSlug, capability, endpoint.upstreamModelId]);
}

function checkRepetition(seen: Set<string>, name: string, path: string): Issue[] {
  if (seen.has(name)) return [{ path, message: `${name} is in the file twice` }];
  seen.add(name);
  return [];
}
