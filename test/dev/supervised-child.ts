/** A parent as `npm start` is one: supervises two processes and then waits. Argument: the data folder. */
import path from 'node:path';
import { createSupervisor } from '../../dev/processes/supervisor.ts';

const [dataDir = ''] = process.argv.slice(2);
const supervisor = await createSupervisor({ dataDir, say: () => undefined });
for (const name of ['first', 'second']) {
  await supervisor.start({
    name,
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    logFile: path.join(dataDir, `${name}.log`),
  });
}
process.stdout.write('supervising\n');
