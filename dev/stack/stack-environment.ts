import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LAPTOP_ENCRYPTION_KEYS } from '../../platform/encryption-keys.ts';
import { HOST, type StackSettings } from '../settings.ts';

/**
 * Returns the environment of the API, the worker and the local upstream. This process's environment overrides the
 * laptop's defaults, and the stack's own decisions override both.
 */
export function stackEnvironment(
  settings: StackSettings,
  databaseUrl: string,
  own: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const { ports } = settings;
  const upstreamUrl = `http://${HOST}:${ports.upstream}`;
  return {
    ...laptopDefaults(settings),
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== '')),
    SLUICE_ENV: 'development',
    HOST,
    PORT: String(ports.api),
    PUBLIC_URL: settings.publicUrl,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: settings.temporalAddress ?? `${HOST}:${ports.temporal}`,
    ...(settings.temporalAddress ? {} : { TEMPORAL_UI_URL: `http://${HOST}:${ports.temporalUi}` }),
    UPSTREAM_PORT: String(ports.upstream),
    PROVIDER_LOCAL_BASE_URL: `${upstreamUrl}/v1`,
  };
}

function laptopDefaults(settings: StackSettings): NodeJS.ProcessEnv {
  return {
    OUTBOUND_ALLOW: '127.0.0.0/8',
    OBJECT_STORE: pathToFileURL(path.join(settings.dataDir, 'objects')).href,
    SPOOL_DIR: path.resolve(settings.dataDir, 'spool'),
    ENCRYPTION_KEYS: LAPTOP_ENCRYPTION_KEYS,
    PROVIDER_LOCAL_API_KEY: 'local-upstream',
    // A short grace period makes Ctrl-C quick; the next start resumes interrupted work.
    API_SHUTDOWN_GRACE: '10s',
    WORKER_SHUTDOWN_GRACE: '10s',
  };
}
