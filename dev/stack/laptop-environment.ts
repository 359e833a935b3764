/** Finds the settings of the laptop stack for a command that runs beside it. */
import type { StackSettings } from '../settings.ts';
import { readDevFile } from './dev-file.ts';
import { stackEnvironment } from './stack-environment.ts';

/**
 * Returns the environment of the stack's processes. Returns undefined if the environment names another database or
 * another kind of deployment, or if no stack was ever started.
 */
export function laptopEnvironment(
  settings: StackSettings,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv | undefined {
  const laptop = readDevFile(settings.dataDir);
  if (laptop === undefined || (env['SLUICE_ENV'] || 'development') !== 'development') return undefined;
  if (settings.databaseUrl !== undefined && settings.databaseUrl !== laptop.database_url) return undefined;
  const publicUrl = env['PUBLIC_URL'] ? settings.publicUrl : laptop.base_url.replace(/\/api\/v1$/, '');
  const found = { ...settings, publicUrl, temporalAddress: laptop.temporal_address };
  return stackEnvironment(found, laptop.database_url, env);
}
