/**
 * Runs `npm run admin` and `npm run migrate`. Beside `npm start` the commands use the settings of the laptop stack,
 * which they find in its data folder. With another DATABASE_URL they use the environment as it is.
 */
import { laptopEnvironment } from './stack/laptop-environment.ts';
import { settingsOrExit } from './settings.ts';
import { devFilePath } from './stack/dev-file.ts';

const settings = settingsOrExit();
const laptop = laptopEnvironment(settings, process.env);
if (laptop !== undefined) {
  process.stderr.write(`Using the stack of npm start: ${devFilePath(settings.dataDir)}\n`);
} else if (settings.databaseUrl === undefined) {
  process.stderr.write(`There is no stack of npm start in ${settings.dataDir}.\n`);
}

const { printCommand } = await import('../admin/run-command.ts');
await printCommand(process.argv.slice(2), { ...process.env, ...laptop });
