import { migrate } from '../db/migrate.ts';
import { createDatabase } from '../db/connection.ts';
import { seedCatalog } from '../services/routing/seed-catalog.ts';

/** Brings schema and shipped catalog up to date; returns what is printed. */
export async function runMigrate(databaseUrl: string): Promise<string> {
  const applied = await migrate(databaseUrl);
  const database = createDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'sluice-migrate' });
  try {
    const { models } = await seedCatalog(database.knex);
    const list = applied.length === 0 ? 'The schema was up to date.' : `Applied:\n  ${applied.join('\n  ')}`;
    return `${list}\nThe shipped catalog holds ${models} models.`;
  } finally {
    await database.close();
  }
}
