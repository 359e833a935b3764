/** Loads the whole configuration of a process from its environment variables. */
import { processesOf, warningsOfProcesses } from './api-processes.ts';
import { loadParts, PARTS } from './config-parts.ts';
import { ConfigError, readVariables, type Values } from './config-variable.ts';
import { localUpstreamVariables } from './job-variables.ts';
import { type ProviderConfig, providerVariableName, readProviderVariables } from './provider-variables.ts';
import { processVariables } from './server-variables.ts';

/**
 * The settings of a process. Sizes are in bytes and times in milliseconds unless a name says otherwise.
 * docs/configuration.md describes each of them.
 */
export type Config = ReturnType<typeof loadConfig>;

/** Reads and checks all variables. Throws one ConfigError that lists every problem, without any secret. */
export function loadConfig(env: NodeJS.ProcessEnv) {
  const { providers, problems, unknown } = readProviderVariables(env);
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[];
  const { http, metrics, ...parts } = loadParts(env, names, problems);
  const { poolMax } = parts.database;
  return {
    ...parts,
    http: { ...http, processes: processesOf(http.processes, poolMax) },
    metrics: { ...metrics, host: http.host },
    /** Returns a provider's credentials by its slug; an empty object for a provider without any. */
    providers: (slug: string): ProviderConfig => providers.get(providerVariableName(slug)) ?? {},
    /** Warnings about valid settings. The process that starts logs them. */
    warnings: [
      ...unknown.map((name) => `${name} is not a variable that Sluice reads`),
      ...(parts.environment === 'production' && http.publicUrl.startsWith('http:')
        ? ['PUBLIC_URL is not https: signed URLs and API keys travel unencrypted']
        : []),
      ...warningsOfProcesses(http.processes, poolMax),
    ],
  };
}

/** Loads the configuration, or prints all its problems on stderr and exits with code 2, without a stack. */
export function configOrExit<T>(load: (env: NodeJS.ProcessEnv) => T, env: NodeJS.ProcessEnv): T {
  try {
    return load(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

/** Loads the configuration of the local upstream. */
export function loadLocalUpstreamConfig(env: NodeJS.ProcessEnv) {
  const variables = { ...localUpstreamVariables, logLevel: processVariables.logLevel };
  const { values, problems } = readVariables(variables, env);
  if (problems.length > 0) throw new ConfigError(problems);
  return values as Values<typeof variables>;
}
