/** Runs the commands of one page. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { toolEnvironment } from '../checks.ts';
import { forever, type CommandContext } from '../command.ts';
import { ROOT } from '../settings.ts';
import { StackError } from '../stack-error.ts';
import { missingError, outputsOf, pageScript, stepsOf, type Step } from './page-script.ts';
import { NEWCOMERS_PAGE, readBlocks } from './read-blocks.ts';

/** The page with the variables that the commands of other pages use. README.md and newcomers set their own. */
const VARIABLES_PAGE = 'docs/README.md';

const LONGEST_PAGE_MS = 300_000;

/** The data folder of the stack, and the variables by which commands beside it find it. */
export interface Place {
  dataDir: string;
  variables: Record<string, string>;
}

/** Runs the steps of a page in their order. Returns a report of the step that failed, or undefined. */
export async function runPage(
  page: string,
  steps: readonly Step[],
  place: Place,
  { progress, supervisor }: CommandContext,
): Promise<string | undefined> {
  const startedAt = Date.now();
  const folder = makeCheckout(place.dataDir);
  const script = path.join(folder, 'page.sh');
  const startsStack = page === NEWCOMERS_PAGE;
  const setsOwn = startsStack || page === 'README.md';
  const preamble = setsOwn ? [] : stepsOf(readBlocks(ROOT, VARIABLES_PAGE));
  writeFileSync(script, pageScript(preamble, steps, { startsStack }));
  const logFile = path.join(place.dataDir, 'logs', 'page.log');
  // These name another stack than the one of this run.
  const noOther = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', PUBLIC_URL: '', SLUICE_ENV: '' };
  const env = toolEnvironment({ ...noOther, ...place.variables });
  const run = supervisor.run({ name: page, command: 'bash', args: [script], cwd: folder, env, logFile });
  const result = await Promise.race([
    run.then(() => 'done', whenFailed),
    delay(LONGEST_PAGE_MS, 'late', { ref: false }),
  ]);
  const outputs = outputsOf(readFileSync(logFile, 'utf8'));
  const last = [...outputs.keys()].at(-1) ?? 0;
  if (result === 'late') {
    throw new StackError(
      `${page}:${last} did not end within ${LONGEST_PAGE_MS / 1000} s.\nType:  npm run test:docs -- ${page}`,
    );
  }
  const line = result === 'failed' ? last : missingError(steps, outputs)?.line;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const verdict = line === undefined ? 'ok' : 'FAILED';
  const blocks = `${steps.length} block${steps.length === 1 ? '' : 's'}`;
  progress.say(`  ${page.padEnd(28)} ${blocks.padEnd(9)}  ${verdict} after ${seconds} s`);
  if (line === undefined) return undefined;
  const why = result === 'failed' ? 'a command failed' : 'the page shows an error, but the answer is none';
  return `\n${page}:${line}: ${why}. The block printed:\n${outputs.get(line) ?? '(nothing)'}\n`;
}

/** Returns the result of a script that failed. After Ctrl-C the supervisor stops the script, which is no result. */
function whenFailed(error: unknown): 'failed' | Promise<never> {
  return String(error).includes('signal SIGTERM') ? forever() : 'failed';
}

/** Creates a folder with links to everything in the checkout but its data, so that a page's own files land there. */
function makeCheckout(dataDir: string): string {
  const pages = path.join(dataDir, 'pages');
  mkdirSync(pages, { recursive: true });
  const folder = mkdtempSync(path.join(pages, 'page-'));
  const entries = readdirSync(ROOT).filter((name) => name !== '.data' && name !== '.git');
  for (const name of entries) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  symlinkSync(dataDir, path.join(folder, '.data'));
  return folder;
}
