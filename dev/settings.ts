import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { reportFailure, StackError } from './stack-error.ts';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * How the API is run, here as in `npm run api`: where the machine has memory, V8 takes 128 MB for what was just made,
 * half of which is enough for the busiest API.
 */
export const API_FLAGS = ['--max-semi-space-size=32'];

/** Everything on the laptop listens here and nowhere else. */
export const HOST = '127.0.0.1';

export interface StackSettings {
  /** Absolute; `.data` in the checkout unless DATA_DIR moves it. */
  dataDir: string;
  ports: { api: number; temporal: number; temporalUi: number; postgres: number; upstream: number };
  /** Set: use that Postgres and start none. */
  databaseUrl?: string;
  /** Set: use that Temporal and start none. */
  temporalAddress?: string;
  /** The origin in answers and in `dev.json`, without a slash at the end. */
  publicUrl: string;
}

/** The settings of a command; says what is wrong with them and exits when something is. */
export function settingsOrExit(): StackSettings {
  try {
    return readSettings(process.env);
  } catch (error) {
    reportFailure(error);
    process.exit(1);
  }
}

/** What the environment asks of the laptop stack. Throws a StackError that names every bad variable. */
export function readSettings(env: NodeJS.ProcessEnv): StackSettings {
  const issues: string[] = [];
  const port = (variable: string, fallback: number): number => {
    const text = env[variable] || String(fallback);
    const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > 65_535)
      issues.push(`${variable} must be a port from 1 to 65535, not "${text}"`);
    return number;
  };
  const ports = {
    api: port('PORT', 8080),
    temporal: port('TEMPORAL_PORT', 7233),
    temporalUi: port('TEMPORAL_UI_PORT', 8233),
    postgres: port('POSTGRES_PORT', 5433),
    upstream: port('UPSTREAM_PORT', 8090),
  };
  if (issues.length > 0) throw new StackError(issues.join('\n'));
  return {
    dataDir: path.resolve(ROOT, env['DATA_DIR'] || '.data'),
    ports,
    ...(env['DATABASE_URL'] ? { databaseUrl: env['DATABASE_URL'] } : {}),
    ...(env['TEMPORAL_ADDRESS'] ? { temporalAddress: env['TEMPORAL_ADDRESS'] } : {}),
    publicUrl: (env['PUBLIC_URL'] || `http://${HOST}:${ports.api}`).replace(/\/+$/, ''),
  };
}
