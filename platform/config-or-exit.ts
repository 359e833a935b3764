import { ConfigError } from './config-variable.ts';

/** For the start of a process: a bad environment is a list of what to mend on stderr and exit code 2, not a stack. */
export function configOrExit<T>(load: (env: NodeJS.ProcessEnv) => T, env: NodeJS.ProcessEnv): T {
  try {
    return load(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
