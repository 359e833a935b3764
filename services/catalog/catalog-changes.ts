/** Compares a catalog file with the present catalog and lists what an import would add, change or switch on and off. */
import type { SourcedCatalog } from '../../db/catalog/catalog-store.ts';
import type { CatalogFile } from '../../providers/catalog-file.ts';

export interface CatalogChange {
  what: 'added' | 'changed' | 'switched on' | 'switched off';
  kind: 'provider' | 'model' | 'endpoint';
  id: string;
  /** One line for each changed value: `path: before → after`. */
  details: string[];
}

/**
 * Returns the changes that importing the file makes. Endpoints that the file lacks are switched off if the file has
 * their provider. Endpoints of other providers stay unchanged.
 */
export function changesOf(file: CatalogFile, present: SourcedCatalog): CatalogChange[] {
  const providers = new Map(present.providers.map(({ provider }) => [provider.slug, provider]));
  const models = new Map(present.models.map(({ model }) => [model.id, model]));
  const endpoints = new Map(present.endpoints.map((row) => [row.endpoint.id, row]));
  return [
    ...file.providers.flatMap((row) => compare('provider', row.slug, providers.get(row.slug), row)),
    ...file.models.flatMap((row) => compare('model', row.id, models.get(row.id), row)),
    ...[...file.endpoints, ...file.liveEndpoints].flatMap((row) => {
      const before = endpoints.get(row.id);
      const changes = compare('endpoint', row.id, before?.endpoint, row);
      if (before === undefined || before.enabled) return changes;
      const details = changes.flatMap((change) => change.details);
      return [{ what: 'switched on' as const, kind: 'endpoint' as const, id: row.id, details }];
    }),
    ...missingOf(file, present).map((id): CatalogChange => ({
      what: 'switched off',
      kind: 'endpoint',
      id,
      details: [],
    })),
  ];
}

/** Returns the ids of endpoints that the file lacks although it has their providers. */
export function missingOf(file: CatalogFile, present: SourcedCatalog): string[] {
  const providers = new Set(file.providers.map(({ slug }) => slug));
  const listed = new Set([...file.endpoints, ...file.liveEndpoints].map(({ id }) => id));
  return present.endpoints
    .filter(
      ({ enabled, endpoint }) => enabled && providers.has(endpoint.providerSlug) && !listed.has(endpoint.id),
    )
    .map(({ endpoint }) => endpoint.id);
}

function compare(
  kind: CatalogChange['kind'],
  id: string,
  before: object | undefined,
  after: object,
): CatalogChange[] {
  if (before === undefined) return [{ what: 'added', kind, id, details: [] }];
  const [old, now] = [flatten(before), flatten(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  const details = paths
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => `${path}: ${old.get(path) ?? 'nothing'} → ${now.get(path) ?? 'nothing'}`);
  return details.length === 0 ? [] : [{ what: 'changed', kind, id, details }];
}

/** Returns the JSON of each value by the value's path. A list is one value. */
function flatten(value: object, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [name, child] of Object.entries(value) as [string, unknown][]) {
    const path = prefix + name;
    if (child === null || child === undefined) continue;
    if (typeof child !== 'object' || Array.isArray(child) || child instanceof Date) {
      flat.set(path, JSON.stringify(child));
    } else for (const entry of flatten(child, `${path}.`)) flat.set(...entry);
  }
  return flat;
}
