/** Reads the settings of the laptop stack: folders, addresses and ports. */
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { reportFailure, StackError } from './stack-error.ts';

/** The root folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * The flags of the API's process, as in `npm run api`. By default V8 uses up to 128 MB for new objects; half of that is
 * enough for the busiest API. V8 also creates objects among the old ones where it expects them to live long. In the API
 * such objects die with their request, but keep what they refer to until the old ones are collected. Which objects V8
 * picks differs from start to start.
 */
export const API_FLAGS = ['--max-semi-space-size=32', '--no-allocation-site-pretenuring'];

/**
 * The flags of the worker's process, as in `npm run worker`. The worker has a V8 isolate for each queue. When it is
 * idle, it keeps the memory for new objects that a burst of work once needed, and the garbage since its last
 * collection.
 */
export const WORKER_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20'];

/**
 * Makes the memory allocator of Linux give memory back after a burst of work. The thresholds are glibc's own at the
 * start; setting them keeps them from growing. Other systems ignore the variables.
 */
export const WORKER_ENV = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/** The only address on which the laptop stack listens. */
export const HOST = '127.0.0.1';

export interface StackSettings {
  /** The absolute data folder: `.data` in the checkout, or DATA_DIR. */
  dataDir: string;
  ports: { api: number; temporal: number; temporalUi: number; postgres: number; upstream: number };
  /** The ports on which to look for model servers of this machine. Absent: LOCAL_MODELS is off. */
  modelPorts?: { ollama: number; lmStudio: number } | undefined;
  /** Set: this Postgres is used, and none is started. */
  databaseUrl?: string | undefined;
  /** Set: this Temporal is used, and none is started. */
  temporalAddress?: string | undefined;
  /** The origin in answers and in `dev.json`, without a final slash. */
  publicUrl: string;
}

/** Returns the settings of a command. Prints their problems and exits if there are any. */
export function settingsOrExit(): StackSettings {
  try {
    return readSettings(process.env);
  } catch (error) {
    reportFailure(error);
    process.exit(1);
  }
}

/** Reads the settings of the laptop stack. Throws a StackError that names every invalid variable. */
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
  const modelPorts = { ollama: port('OLLAMA_PORT', 11_434), lmStudio: port('LM_STUDIO_PORT', 1234) };
  const look = env['LOCAL_MODELS'] || 'on';
  if (look !== 'on' && look !== 'off') issues.push(`LOCAL_MODELS must be on or off, not "${look}"`);
  if (issues.length > 0) throw new StackError(issues.join('\n'));
  return {
    dataDir: path.resolve(ROOT, env['DATA_DIR'] || '.data'),
    ports,
    modelPorts: look === 'on' ? modelPorts : undefined,
    databaseUrl: env['DATABASE_URL'] || undefined,
    temporalAddress: env['TEMPORAL_ADDRESS'] || undefined,
    publicUrl: (env['PUBLIC_URL'] || `http://${HOST}:${ports.api}`).replace(/\/+$/, ''),
  };
}
