/** Runs `npm run pictures`: takes the console's pictures for the documentation, on a stack of its own with history. */
import path from 'node:path';
import { runCommand } from './command.ts';
import { takePictures } from './pictures/take-pictures.ts';
import { findFreePorts } from './ports.ts';
import { readSeedOptions } from './seed/options.ts';
import { seedHistory } from './seed/seed-history.ts';
import { readSettings, ROOT } from './settings.ts';
import { startStack } from './stack/stack.ts';
import { makeTestFolder } from './testing/test-folder.ts';

const GENERATIONS = 300_000;
const FOLDER = path.join(ROOT, 'docs/images');
const PORTS = ['PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'POSTGRES_PORT', 'UPSTREAM_PORT'];

const dataDir = makeTestFolder();
const stopping = new AbortController();

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const free = await findFreePorts(PORTS.length);
  const ports = Object.fromEntries(PORTS.map((variable, index) => [variable, String(free[index])]));
  const { facts } = await startStack(
    readSettings({ DATA_DIR: dataDir, LOCAL_MODELS: 'off', ...ports }),
    context,
  );
  await seedHistory(readSeedOptions(['--generations', String(GENERATIONS)], Date.now()), {
    databaseUrl: facts.database_url,
    environment: undefined,
    output: process.stdout,
    stopping: stopping.signal,
  });
  const taken = await context.progress.step('Taking the pictures', 'about 30 s', () =>
    takePictures(facts, FOLDER),
  );
  context.progress.say(`${taken} pictures are in ${path.relative(process.cwd(), FOLDER)}. Look at each.`);
  return 0;
});
