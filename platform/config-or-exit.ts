import { ConfigError } from './config-variable.ts';

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
