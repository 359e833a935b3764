/** Starts the Postgres and the Temporal of the laptop stack, or checks external ones. */
import path from 'node:path';
import { runMigrate } from '../../admin/run-migrate.ts';
import { UnreleasedSchemaError } from '../../db/migrate.ts';
import type { TemporalConfig } from '../../platform/temporal.ts';
import type { CommandContext } from '../command.ts';
import type { PortNeed } from '../ports.ts';
import { ensureDatabase, requirePostgres, startPostgres } from '../postgres/postgres.ts';
import type { StackSettings } from '../settings.ts';
import { StackError } from '../stack-error.ts';
import { findTemporalCli } from '../temporal/temporal-cli.ts';
import { requireTemporal, startTemporal } from '../temporal/temporal.ts';

/** The ports that a start will listen on. */
export function neededPorts({ ports, databaseUrl, temporalAddress }: StackSettings): PortNeed[] {
  return [
    { port: ports.api, variable: 'PORT', purpose: 'the API' },
    { port: ports.upstream, variable: 'UPSTREAM_PORT', purpose: 'the local upstream' },
    ...(databaseUrl === undefined
      ? [{ port: ports.postgres, variable: 'POSTGRES_PORT', purpose: 'Postgres' }]
      : []),
    ...(temporalAddress === undefined
      ? [
          { port: ports.temporal, variable: 'TEMPORAL_PORT', purpose: 'Temporal' },
          { port: ports.temporalUi, variable: 'TEMPORAL_UI_PORT', purpose: "Temporal's Web UI" },
        ]
      : []),
  ];
}

/** Returns the URL of Sluice's database: DATABASE_URL, or one in the embedded Postgres, which it starts. */
export async function bringUpPostgres(settings: StackSettings, context: CommandContext): Promise<string> {
  const { progress, supervisor } = context;
  const { databaseUrl, dataDir, ports } = settings;
  if (databaseUrl !== undefined) {
    progress.say('Postgres: the one of DATABASE_URL');
    await requirePostgres(databaseUrl);
    return databaseUrl;
  }
  return progress.step('Starting Postgres', 'about 2 s', async () => {
    const adminUrl = await startPostgres({ supervisor, dataDir, port: ports.postgres, durable: true });
    return ensureDatabase(adminUrl, 'sluice');
  });
}

/**
 * Migrates Sluice's database; returns warnings about the catalog. If the database is older than the first migration,
 * throws a StackError that says what to remove.
 */
export async function bringUpSchema(
  { databaseUrl, dataDir }: Pick<StackSettings, 'databaseUrl' | 'dataDir'>,
  url: string,
): Promise<string[]> {
  try {
    return (await runMigrate(url)).warnings;
  } catch (error) {
    if (!(error instanceof UnreleasedSchemaError)) throw error;
    const whatToDo =
      databaseUrl === undefined
        ? `remove the folder ${dataDir} and start again`
        : 'drop the database of DATABASE_URL, create an empty one and start again';
    throw new StackError(
      `The database was made by an unreleased version and cannot be upgraded: ${whatToDo}.`,
      { cause: error },
    );
  }
}

/** Starts a Temporal dev server. With TEMPORAL_ADDRESS, checks instead that the Temporal there serves. */
export async function bringUpTemporal(
  settings: StackSettings,
  config: TemporalConfig,
  context: CommandContext,
): Promise<void> {
  const { progress, supervisor } = context;
  const { dataDir, ports } = settings;
  if (settings.temporalAddress !== undefined) {
    progress.say('Temporal: the one of TEMPORAL_ADDRESS');
    return requireTemporal(config);
  }
  const cli = await findTemporalCli({ ...context, logsFolder: path.join(dataDir, 'logs') });
  await progress.step('Starting Temporal', 'about 2 s', () =>
    startTemporal({
      supervisor,
      cli,
      dataDir,
      port: ports.temporal,
      uiPort: ports.temporalUi,
      durable: true,
    }),
  );
}
