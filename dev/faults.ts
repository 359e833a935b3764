/**
 * Runs `npm run faults`, which tests endurance: mixed load under a seeded schedule of kills, pauses and network cuts
 * (test/mixed-load), and the suites of test/faults.
 *
 * - `--seed N` repeats the schedule of an earlier run, and `--minutes M` sets its length. With either, the suites run
 *   only if they are named.
 * - Other arguments go to Jest, and then only those suites run: `npm run faults -- test/faults/burst`.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { toolEnvironment } from './checks.ts';
import { type CommandContext, runCommand } from './command.ts';
import { ROOT } from './settings.ts';
import { reportFailure, StackError } from './stack-error.ts';
import { makeTestFolder } from './testing/test-folder.ts';
import { runJest, startTestServers } from './testing/test-run.ts';

const FOLDER = 'test/faults';
const DEFAULT_MINUTES = 2;
/** The suites fill the machine or measure their memory, so they run one at a time. */
const ONE_SUITE_AT_A_TIME = '--maxWorkers=1';

const options = argumentsOrExit();
const dataDir = makeTestFolder();

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const env: NodeJS.ProcessEnv = { ...(await startTestServers(dataDir, context)), SLUICE_TEST_FAULTS: 'yes' };
  const lostNothing = options.runsMixedLoad ? await runMixedLoad(env, context) : true;
  const passed = options.runsSuites
    ? await runJest('npm run faults --', [ONE_SUITE_AT_A_TIME, ...options.suites], env, dataDir, context)
    : true;
  return lostNothing && passed ? 0 : 1;
});

interface FaultsOptions {
  seed: number;
  minutes: number;
  suites: string[];
  runsMixedLoad: boolean;
  runsSuites: boolean;
}

function argumentsOrExit(): FaultsOptions {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    reportFailure(new StackError(error instanceof Error ? error.message : String(error)));
    process.exit(2);
  }
}

function readArguments(args: string[]): FaultsOptions {
  const { values, positionals } = parseArgs({
    args,
    options: { seed: { type: 'string' }, minutes: { type: 'string' } },
    allowPositionals: true,
  });
  const hasOptions = values.seed !== undefined || values.minutes !== undefined;
  return {
    seed: readNumber('--seed', values.seed, /^\d{1,9}$/) ?? Math.floor(Math.random() * 1_000_000),
    minutes: readNumber('--minutes', values.minutes, /^\d{1,4}(\.\d+)?$/) ?? DEFAULT_MINUTES,
    suites: positionals.length > 0 ? positionals : [FOLDER],
    runsMixedLoad: hasOptions || positionals.length === 0,
    runsSuites: !hasOptions || positionals.length > 0,
  };
}

function readNumber(name: string, text: string | undefined, pattern: RegExp): number | undefined {
  if (text === undefined) return undefined;
  if (!pattern.test(text)) throw new Error(`${name} must be a number, not "${text}"`);
  return Number(text);
}

/** Returns true when the mixed load lost nothing. The process itself prints the losses. */
async function runMixedLoad(env: NodeJS.ProcessEnv, { supervisor }: CommandContext): Promise<boolean> {
  try {
    await supervisor.run({
      name: 'the mixed load',
      command: process.execPath,
      args: [
        '--no-warnings',
        path.join(ROOT, 'test/mixed-load/main.ts'),
        `${options.seed}`,
        `${options.minutes}`,
      ],
      cwd: ROOT,
      env: toolEnvironment(env),
      toTerminal: true,
      logFile: path.join(dataDir, 'logs', 'mixed-load.log'),
    });
    return true;
  } catch {
    return false;
  }
}
