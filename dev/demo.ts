/** Runs `npm run demo`: one video job from end to end, on the running stack or on a temporary one. */
import path from 'node:path';
import { createProgress } from './progress.ts';
import { runCommand } from './command.ts';
import { readDevFile, type DevFile } from './stack/dev-file.ts';
import { settingsOrExit } from './settings.ts';
import { showVideoJob } from './demo/show-video-job.ts';
import { reportFailure } from './stack-error.ts';
import { startStack } from './stack/stack.ts';
import { httpProblem } from './wait-until.ts';

const settings = settingsOrExit();
const progress = createProgress();
const folder = path.join(settings.dataDir, 'demo');

const running = await findRunningStack();
if (running === undefined) {
  await runCommand({ dataDir: settings.dataDir, stoppedCode: 130, progress }, async (context) => {
    const { facts } = await startStack(settings, context);
    await showVideoJob(facts, folder, progress);
    progress.say(
      'The stack of the demo stops now, and the link to the workflow with it. npm start runs one that stays.',
    );
    return 0;
  });
} else {
  progress.say(`Using the stack that runs at ${running.base_url}.`);
  try {
    await showVideoJob(running, folder, progress);
  } catch (error) {
    reportFailure(error);
    process.exitCode = 1;
  }
}

/** Returns the stack in `dev.json` if it answers to the key there. */
async function findRunningStack(): Promise<DevFile | undefined> {
  const facts = readDevFile(settings.dataDir);
  if (facts === undefined) return undefined;
  const headers = { authorization: `Bearer ${facts.api_key}` };
  return (await httpProblem(`${facts.base_url}/key`, headers)) === undefined ? facts : undefined;
}
