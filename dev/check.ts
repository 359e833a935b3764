/** Runs `npm run check`: all checks that need neither Postgres nor Temporal. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportFailedChecks, runChecks, STATIC_CHECKS, UNIT_TEST_CHECK } from './checks.ts';
import { runCommand } from './command.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'sluice-check-'));

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const failed = await runChecks([...STATIC_CHECKS, UNIT_TEST_CHECK], dataDir, context);
  reportFailedChecks(failed, context);
  if (failed.length === 0) context.progress.say('\nAll checks passed.');
  return failed.length === 0 ? 0 : 1;
});
