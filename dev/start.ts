/** Runs `npm start`: the whole stack on this machine, until Ctrl-C. */
import { collectGarbage } from '../platform/heap-growth.ts';
import { forever, runCommand } from './command.ts';
import { makeConsoleLink } from './stack/console-link.ts';
import { devFilePath } from './stack/dev-file.ts';
import { firstSteps } from './stack/first-steps.ts';
import { settingsOrExit } from './settings.ts';
import { createSluiceClient } from './demo/sluice-client.ts';
import { stackProviders } from './stack/providers.ts';
import { startStack } from './stack/stack.ts';

const settings = settingsOrExit();

await runCommand({ dataDir: settings.dataDir, stoppedCode: 0 }, async (context) => {
  const { facts, ownModels } = await startStack(settings, context);
  const model = await createSluiceClient(facts).localModel();
  const providers = stackProviders(process.env, ownModels);
  const link = await makeConsoleLink(facts);
  context.progress.say(firstSteps(facts, model, devFilePath(settings.dataDir), providers, link));
  collectGarbage();
  return forever();
});
