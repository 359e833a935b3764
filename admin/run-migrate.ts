import { migrate } from '../db/migrate.ts';
import { createDatabase } from '../db/postgres/connection.ts';
import { type KeptSlug, seedCatalog } from '../services/catalog/seed-catalog.ts';

/** Brings schema and bundled catalog up to date. Returns the text to print, and warnings. */
export async function runMigrate(databaseUrl: string): Promise<{ text: string; warnings: string[] }> {
  const applied = await migrate(databaseUrl);
  const database = createDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'sluice-migrate' });
  try {
    const { models, keptSlugs } = await seedCatalog(database.knex);
    const list = applied.length === 0 ? 'The schema was up to date.' : `Applied:\n  ${applied.join('\n  ')}`;
    const text = `${list}\nThe shipped catalog holds ${models} models.`;
    return { text, warnings: keptSlugs.map(describe) };
  } finally {
    await database.close();
  }
}

function describe({ modelId, canonicalSlug, shipped }: KeptSlug): string {
  const kept = `Model ${modelId} keeps its canonical slug ${canonicalSlug}, under which its usage and rankings are`;
  return `${kept}: the ${shipped} of this version is ignored. A newer release is a model of its own.`;
}
