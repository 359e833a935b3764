/**
 * Runs `npm run test:docs`: every command in README.md and `docs/`, as its page shows it. A stack starts for this run
 * on free ports. The page for newcomers starts its own before that, with stand-ins for vendors. Each page is one script
 * in the order of the page, so variables last until its end. A page's files land in a temporary folder. With arguments,
 * only the named pages run: `npm run test:docs -- docs/videos.md`.
 */
import path from 'node:path';
import { runCommand } from './command.ts';
import { stepsOf, type Step } from './pages/page-script.ts';
import { startNewcomersVendors } from './pages/newcomers-vendors.ts';
import { listPages, NEWCOMERS_PAGE, readBlocks } from './pages/read-blocks.ts';
import { runPage, type Place } from './pages/run-page.ts';
import { findFreePorts } from './ports.ts';
import { readSettings, ROOT } from './settings.ts';
import { StackError } from './stack-error.ts';
import { startStack } from './stack/stack.ts';
import { makeTestFolder } from './testing/test-folder.ts';

const dataDir = makeTestFolder();

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  const pages = choosePages(process.argv.slice(2));
  const ports = await choosePorts();
  const failed: string[] = [];
  const run = async (chosen: readonly Page[], place: Place): Promise<void> => {
    for (const [page, steps] of chosen) {
      const report = await runPage(page, steps, place, context);
      if (report === undefined) continue;
      failed.push(page);
      say(report);
    }
  };
  say('Running the commands of the pages (about two minutes for all):');
  const startedAt = Date.now();
  const newcomers = pages.filter(([page]) => page === NEWCOMERS_PAGE);
  if (newcomers.length > 0) {
    const own = path.join(dataDir, 'newcomer');
    const variables = { DATA_DIR: own, ...ports, ...(await startNewcomersVendors()) };
    await run(newcomers, { dataDir: own, variables });
  }
  const others = pages.filter(([page]) => page !== NEWCOMERS_PAGE);
  if (others.length > 0) {
    const variables = { DATA_DIR: dataDir, LOCAL_MODELS: 'off', ...ports };
    await startStack(readSettings(variables), context);
    await run(others, { dataDir, variables });
  }
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const blocks = pages.flatMap(([, steps]) => steps).length;
  say(`\n${blocks} blocks of ${pages.length} pages were run in ${seconds} s.`);
  if (failed.length === 0) say('All of them work as written.');
  else say(`Correct what is named above. Then type:  npm run test:docs -- ${failed.join(' ')}`);
  return failed.length === 0 ? 0 : 1;
});

type Page = [page: string, steps: Step[]];

/** Returns the steps of the named pages. Without names, returns those of every page with commands. */
function choosePages(names: readonly string[]): Page[] {
  const all = listPages(ROOT);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw new StackError(
      `There is no page ${unknown}. Name pages by their path here: npm run test:docs -- docs/videos.md`,
    );
  }
  return all
    .filter((page) => names.length === 0 || names.includes(page))
    .map((page): Page => [page, stepsOf(readBlocks(ROOT, page))])
    .filter(([, steps]) => steps.length > 0);
}

/** Returns free ports as the variables that name them: those of the stack, and one at which no LM Studio is found. */
async function choosePorts(): Promise<Record<string, string>> {
  const names = [
    'PORT',
    'TEMPORAL_PORT',
    'TEMPORAL_UI_PORT',
    'POSTGRES_PORT',
    'UPSTREAM_PORT',
    'LM_STUDIO_PORT',
  ];
  const ports = await findFreePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}
