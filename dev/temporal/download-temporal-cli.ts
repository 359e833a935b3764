/**
 * Downloads the Temporal CLI through @temporalio/testing, which does so when it starts a server. It is a separate
 * process, so that the native runtime and the server are not loaded into the supervisor. It exits if no data arrives
 * for a minute, since the download itself has no timeout.
 *
 * Arguments: the folder, the version.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [folder = '', version = ''] = process.argv.slice(2);
const STALLED_MS = 60_000;

let bytes = -1;
let changedAt = Date.now();
const watch = setInterval(() => {
  const now = folderBytes();
  if (now !== bytes) [bytes, changedAt] = [now, Date.now()];
  else if (Date.now() - changedAt > STALLED_MS) {
    console.error(`Nothing has arrived for ${STALLED_MS / 1000} s.`);
    process.exit(1);
  }
}, 1_000);

function folderBytes(): number {
  const sizes = readdirSync(folder).map(
    (name) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', version, downloadDir: folder } },
});
clearInterval(watch);
await environment.teardown();
