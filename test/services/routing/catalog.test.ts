import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CatalogRows } from '../../../db/catalog-store.ts';
import { type Catalog, createCatalog } from '../../../services/routing/catalog.ts';

let catalog: Catalog;
/** Each reading of the rows that is under way. */
let readings: PromiseWithResolvers<CatalogRows>[];

/** Rows that are told apart by the one provider they hold. */
function rows(slug: string): CatalogRows {
  return { providers: [{ slug, name: slug, adapter: slug, baseUrl: null }], models: [], endpoints: [] };
}

function known(): string[] {
  return catalog.providers().map(({ slug }) => slug);
}

beforeEach(async () => {
  readings = [];
  let first = true;
  catalog = await createCatalog({
    isRoutable: () => true,
    store: {
      async load() {
        if (first) {
          first = false;
          return rows('at-start');
        }
        const reading = Promise.withResolvers<CatalogRows>();
        readings.push(reading);
        return reading.promise;
      },
    },
  });
});

describe('a catalog that is asked to read its rows again', () => {
  test('while it reads them reads once more, and keeps what it read last', async () => {
    const reloads = [catalog.reload()];
    await turn(1);
    reloads.push(catalog.reload(), catalog.reload());
    readings[0]!.resolve(rows('older'));
    await turn(2);
    readings[1]!.resolve(rows('newest'));
    await Promise.all(reloads);
    expect(known()).toEqual(['newest']);
    expect(readings).toHaveLength(2);
  });

  test('and cannot says so, keeps what it has, and can be asked again', async () => {
    const failing = catalog.reload();
    await turn(1);
    readings[0]!.reject(new Error('no database'));
    await expect(failing).rejects.toThrow('no database');
    expect(known()).toEqual(['at-start']);
    const working = catalog.reload();
    await turn(2);
    readings[1]!.resolve(rows('newest'));
    await working;
    expect(known()).toEqual(['newest']);
  });
});

/** Lets promises settle until so many readings have begun. */
async function turn(count: number): Promise<void> {
  for (let i = 0; i < 20 && readings.length < count; i += 1) await Promise.resolve();
  expect(readings).toHaveLength(count);
}
