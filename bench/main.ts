/**
 * Runs `npm run bench -- NAME`: measures one claim of speed against a reference in the same run, in alternating rounds,
 * and prints a table. The machine's own speed varies; only the ratios count.
 */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../dev/command.ts';
import { toolEnvironment } from '../dev/checks.ts';
import { buildConsole } from '../dev/console/build-console.ts';
import { findFreePorts } from '../dev/ports.ts';
import { startPostgres } from '../dev/postgres/postgres.ts';
import { ROOT } from '../dev/settings.ts';
import { findTemporalCli } from '../dev/temporal/temporal-cli.ts';
import { startTemporal } from '../dev/temporal/temporal.ts';
import { bundleWorkflows } from '../dev/bundle-workflows.ts';

const BENCHMARKS: Record<string, string> = {
  video: 'bench/video/run.ts',
  accept: 'bench/accept/run.ts',
  chat: 'bench/chat/run.ts',
  soak: 'bench/soak/run.ts',
  memory: 'bench/memory/run.ts',
  ledger: 'bench/ledger/run.ts',
  analytics: 'bench/analytics/run.ts',
  reads: 'bench/reads/run.ts',
  hostile: 'bench/hostile/run.ts',
  versions: 'bench/versions/run.ts',
  broadcast: 'bench/broadcast/run.ts',
  directory: 'bench/directory/run.ts',
  'ledger-statement': 'bench/ledger-statement/run.ts',
  prices: 'bench/prices/run.ts',
  'generation-list': 'bench/generation-list/run.ts',
  console: 'bench/console/run.ts',
  providers: 'bench/providers/run.ts',
};

const [name = '', ...args] = process.argv.slice(2);
const script = BENCHMARKS[name];
if (script === undefined) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(BENCHMARKS).join('|')}\n`);
  process.exit(2);
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
chmodSync(dataDir, 0o711);

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { progress, supervisor } = context;
  if (name === 'console') await buildConsole(dataDir, context);
  const cli = await findTemporalCli({ progress, supervisor, logsFolder: path.join(dataDir, 'logs') });
  const [postgresPort = 0, temporalPort = 0] = await findFreePorts(2);
  const where = { supervisor, dataDir, durable: true };
  const [postgresUrl, temporalAddress, workflowBundle] = await progress.step(
    'Starting Postgres and Temporal',
    'about 5 s',
    () =>
      Promise.all([
        startPostgres({ ...where, port: postgresPort }),
        startTemporal({ ...where, cli, port: temporalPort }),
        bundleWorkflows(dataDir, supervisor),
      ]),
  );
  await supervisor.run({
    name: `the benchmark ${name}`,
    command: process.execPath,
    args: [path.join(ROOT, script), ...args],
    cwd: ROOT,
    env: toolEnvironment({
      SLUICE_TEST_POSTGRES_URL: postgresUrl,
      SLUICE_TEST_TEMPORAL_ADDRESS: temporalAddress,
      SLUICE_TEST_WORKFLOW_BUNDLE: workflowBundle,
    }),
    toTerminal: true,
    logFile: path.join(dataDir, 'logs', 'bench.log'),
  });
  return 0;
});
