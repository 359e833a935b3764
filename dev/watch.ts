/** Runs `npm run dev`: like `npm start`, but restarts the API or the worker when their code changes. */
import { watch } from 'node:fs';
import path from 'node:path';
import { build as createPrettyPrinter } from 'pino-pretty';
import { forever, runCommand } from './command.ts';
import { makeConsoleLink } from './stack/console-link.ts';
import { devFilePath } from './stack/dev-file.ts';
import { firstSteps } from './stack/first-steps.ts';
import { stackProviders } from './stack/providers.ts';
import type { Progress } from './progress.ts';
import { createRestarts } from './restarts.ts';
import { ROOT, settingsOrExit } from './settings.ts';
import { createSluiceClient } from './demo/sluice-client.ts';
import type { SluiceProcess } from './stack/sluice-processes.ts';
import { startStack, type Decorate } from './stack/stack.ts';

const settings = settingsOrExit();

/** The processes that run the code of each folder. */
const RUNS_IN: Record<string, SluiceProcess[]> = {
  api: ['api'],
  contract: ['api', 'worker'],
  domain: ['api', 'worker'],
  db: ['api', 'worker'],
  platform: ['api', 'worker'],
  services: ['api', 'worker'],
  providers: ['api', 'worker'],
  activities: ['worker'],
  workflows: ['worker'],
  worker: ['worker'],
};

await runCommand({ dataDir: settings.dataDir, stoppedCode: 0 }, async (context) => {
  const { say } = context.progress;
  const { facts, restart } = await startStack(settings, context, showLogs(context.progress));
  say(
    firstSteps(
      facts,
      await createSluiceClient(facts).localModel(),
      devFilePath(settings.dataDir),
      stackProviders(process.env),
      await makeConsoleLink(facts),
    ),
  );
  say('Watching for changes: the API and the worker restart by themselves; migrations need a new start.');
  const onChange = createRestarts({ restart, say });
  for (const [folder, processes] of Object.entries(RUNS_IN)) {
    watch(path.join(ROOT, folder), { recursive: true }, (_event, file) => {
      if (file?.endsWith('.ts')) onChange(processes);
    });
  }
  return forever();
});

/** Prints the logs of API and worker. A crashed process stays down until its code changes. */
function showLogs({ say }: Progress): Decorate {
  return (which) => {
    if (which === 'upstream') return {};
    const pretty = createPrettyPrinter({
      colorize: process.stdout.isTTY,
      ignore: 'pid,hostname',
      sync: true,
    });
    return {
      onOutput: (chunk) => pretty.write(chunk),
      onCrash: (error) => {
        say(`${error.message}\nIt starts again when its code changes.`);
        return true;
      },
    };
  };
}
