import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from './command.ts';
import { ROOT } from './settings.ts';

/** Tests of these folders need neither Postgres nor Temporal. */
const UNIT_TESTS = ['domain', 'contract', 'platform', 'providers', 'ops'].map((folder) => `test/${folder}/`);

interface Check {
  name: string;
  command: string[];
}

/** Everything that looks at the code without running it. */
export const STATIC_CHECKS: Check[] = [
  { name: 'format', command: ['prettier', '--check', '.'] },
  { name: 'types', command: ['tsc', '--project', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'arrows', command: ['depcruise', '--config', '.dependency-cruiser.mjs', '.'] },
  { name: 'dead code', command: ['knip'] },
];

export const UNIT_TEST_CHECK: Check = {
  name: 'unit tests',
  command: ['jest', '--passWithNoTests', ...UNIT_TESTS],
};

/** The environment of a tool of node_modules: our Node and our tools come first. */
export function toolEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const tools = path.join(ROOT, 'node_modules', '.bin');
  return {
    ...process.env,
    ...extra,
    PATH: `${tools}${path.delimiter}${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --no-warnings`.trim(),
  };
}

/** Runs all checks, prints what a failed one wrote, and returns the names of those that failed. */
export async function runChecks(
  checks: Check[],
  dataDir: string,
  { progress, supervisor }: CommandContext,
): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, command } of checks) {
    const [tool = '', ...args] = command;
    const logFile = path.join(dataDir, 'logs', `check-${tool}.log`);
    const startedAt = Date.now();
    try {
      await supervisor.run({ name, command: tool, args, cwd: ROOT, env: toolEnvironment(), logFile });
    } catch {
      // The log says more than the error, which has its last lines only.
      failed.push(name);
    }
    const verdict = failed.includes(name) ? 'FAILED' : 'ok';
    progress.say(`  ${name.padEnd(12)} ${verdict} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    if (failed.includes(name)) progress.say(readFileSync(logFile, 'utf8').trimEnd());
  }
  return failed;
}
