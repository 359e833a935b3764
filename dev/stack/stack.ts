/** Starts the laptop stack, from Postgres to the API. */
import { ConfigError } from '../../platform/config-variable.ts';
import { loadConfig, type Config } from '../../platform/config.ts';
import { requireCredentials } from '../../services/catalog/require-credentials.ts';
import type { Child, ChildOptions } from '../processes/child.ts';
import type { CommandContext } from '../command.ts';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { buildConsole } from '../console/build-console.ts';
import { bringUpPostgres, bringUpSchema, bringUpTemporal, neededPorts } from './data-services.ts';
import { readDevFile, writeDevFile, type DevFile } from './dev-file.ts';
import { requireFreePorts } from '../ports.ts';
import { findModelServers } from './own-models/find-servers.ts';
import { offerModels, type OwnModels } from './own-models/offer-models.ts';
import { seed } from './seed.ts';
import { HOST, type StackSettings } from '../settings.ts';
import { sluiceProcess, type SluiceProcess } from './sluice-processes.ts';
import { stackEnvironment } from './stack-environment.ts';
import { StackError } from '../stack-error.ts';
import { httpProblem, waitUntil } from '../wait-until.ts';
import { workerProblem } from '../temporal/worker-ready.ts';

export interface RunningStack {
  facts: DevFile;
  /** The servers on this machine whose models the stack offers. */
  ownModels: OwnModels[];
  /** Stops one process and starts it again with the same options. */
  restart(which: SluiceProcess): Promise<void>;
}

/** Returns options of a process in addition to those of `sluiceProcess`. */
export type Decorate = (which: SluiceProcess) => Partial<ChildOptions>;

const READY_TIMEOUT_MS = 60_000;

/**
 * Starts the whole stack in the order of dependencies, and writes `dev.json` once it answers. Throws a StackError with
 * instructions; the caller must then stop the started processes.
 */
export async function startStack(
  settings: StackSettings,
  context: CommandContext,
  decorate: Decorate = () => ({}),
): Promise<RunningStack> {
  const { progress } = context;
  await requireFreePorts(neededPorts(settings));
  const found = findModelServers(settings.modelPorts);
  await buildConsole(settings.dataDir, context);
  const databaseUrl = await bringUpPostgres(settings, context);
  const env = stackEnvironment(settings, databaseUrl);
  const config = readConfig(env);
  await bringUpTemporal(settings, config.temporal, context);
  const seeded = await progress.step('Migrating and seeding the database', 'about 1 s', async () => {
    for (const warning of await bringUpSchema(settings, databaseUrl)) progress.say(`  Warning: ${warning}`);
    return seed(config, readDevFile(settings.dataDir));
  });
  const ownModels = await offerModels(databaseUrl, seeded.organization_id, await found, progress);
  const restart = await startProcesses(settings, config, context, async (which) => {
    const args = which === 'worker' ? [await bundleWorkflows(settings.dataDir, context.supervisor)] : [];
    return { ...sluiceProcess(which, settings.dataDir, env, ...args), ...decorate(which) };
  });
  const facts: DevFile = {
    base_url: `${settings.publicUrl}/api/v1`,
    api_key: seeded.api_key,
    management_key: seeded.management_key,
    organization_id: seeded.organization_id,
    workspace_id: seeded.workspace_id,
    temporal_ui: config.temporal.uiUrl ?? null,
    temporal_address: config.temporal.address,
    database_url: databaseUrl,
    upstream_url: upstreamUrl(settings),
    webhook_secret: seeded.webhook_secret,
  };
  writeDevFile(settings.dataDir, facts);
  return { facts, ownModels, restart };
}

/** Loads the configuration. The user can fix its problems, so they are printed without a stack trace. */
function readConfig(env: NodeJS.ProcessEnv): Config {
  try {
    const config = loadConfig(env);
    requireCredentials(config.providers);
    return config;
  } catch (error) {
    throw error instanceof ConfigError ? new StackError(error.message, { cause: error }) : error;
  }
}

/** Starts Sluice's processes and waits until each is ready. Returns a function that restarts one. */
async function startProcesses(
  settings: StackSettings,
  config: Config,
  { progress, supervisor }: CommandContext,
  describe: (which: SluiceProcess) => Promise<ChildOptions>,
): Promise<RunningStack['restart']> {
  const running = new Map<SluiceProcess, Child>();
  await progress.step('Starting the local upstream, the worker and the API', 'about 6 s', async () => {
    const since = new Date();
    for (const which of ['upstream', 'worker', 'api'] as const) {
      running.set(which, await supervisor.start(await describe(which)));
    }
    const ready = (url: string) => () => httpProblem(url);
    await waitUntil('The local upstream', READY_TIMEOUT_MS, ready(`${upstreamUrl(settings)}/healthz`));
    await waitUntil('The worker', READY_TIMEOUT_MS, () => workerProblem(config.temporal, since));
    await waitUntil('The API', READY_TIMEOUT_MS, ready(`http://${HOST}:${settings.ports.api}/readyz`));
  });
  return async (which) => {
    const options = await describe(which);
    const child = running.get(which);
    if (child !== undefined) await supervisor.stop(child);
    running.set(which, await supervisor.start({ ...options, appendLog: true }));
  };
}

function upstreamUrl(settings: StackSettings): string {
  return `http://${HOST}:${settings.ports.upstream}`;
}
