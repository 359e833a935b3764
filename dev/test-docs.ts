/**
 * Runs `npm run test:docs`: every command in README.md and `docs/`, as its page shows it. A stack starts for this run
 * on free ports. Each page is one script in the order of the page, so variables last until its end. A page's files
 * land in a temporary folder. With arguments, only the named pages run: `npm run test:docs -- docs/videos.md`.
 */
import { runCommand } from './command.ts';
import { stepsOf, type Step } from './pages/page-script.ts';
import { listPages, readBlocks } from './pages/read-blocks.ts';
import { runPage } from './pages/run-page.ts';
import { findFreePorts } from './ports.ts';
import { readSettings, ROOT } from './settings.ts';
import { StackError } from './stack-error.ts';
import { startStack } from './stack/stack.ts';
import { makeTestFolder } from './testing/test-folder.ts';

const dataDir = makeTestFolder();

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  const pages = choosePages(process.argv.slice(2));
  const variables = { DATA_DIR: dataDir, LOCAL_MODELS: 'off', ...(await choosePorts()) };
  await startStack(readSettings(variables), context);
  say('Running the commands of the pages (about a minute and a half for all):');
  const startedAt = Date.now();
  const failed: string[] = [];
  for (const [page, steps] of pages) {
    const report = await runPage(page, steps, { dataDir, variables }, context);
    if (report === undefined) continue;
    failed.push(page);
    say(report);
  }
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const blocks = [...pages.values()].flat().length;
  say(`\n${blocks} blocks of ${pages.size} pages were run in ${seconds} s.`);
  if (failed.length === 0) say('All of them work as written.');
  else say(`Correct what is named above. Then type:  npm run test:docs -- ${failed.join(' ')}`);
  return failed.length === 0 ? 0 : 1;
});

/** Returns the steps of the named pages. Without names, returns those of every page with commands. */
function choosePages(names: readonly string[]): Map<string, Step[]> {
  const all = listPages(ROOT);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw new StackError(
      `There is no page ${unknown}. Name pages by their path here: npm run test:docs -- docs/videos.md`,
    );
  }
  const chosen = all.filter((page) => names.length === 0 || names.includes(page));
  const steps = chosen.map((page) => [page, stepsOf(readBlocks(ROOT, page))] as const);
  return new Map(steps.filter(([, ofPage]) => ofPage.length > 0));
}

/** Returns free ports for the stack, as the variables that name them. */
async function choosePorts(): Promise<Record<string, string>> {
  const names = ['PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'POSTGRES_PORT', 'UPSTREAM_PORT'];
  const ports = await findFreePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}
