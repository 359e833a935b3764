/** Builds and starts an OpenTelemetry Collector, against which tests check the forwarding of spans. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { goInstall, hasGo } from '../go-install.ts';
import { findFreePorts } from '../ports.ts';
import { userCacheFolder } from '../postgres/reachable-folder.ts';
import { HOST } from '../settings.ts';
import { StackError } from '../stack-error.ts';
import { waitUntil } from '../wait-until.ts';

/** The version of the OpenTelemetry Collector; Apache-2.0. */
const PINNED_VERSION = 'v0.162.0';

const WHAT_IT_NEEDS = [
  'The tests against a real OpenTelemetry Collector need one, and none can be made here: Go is not installed.',
  'Any one of these helps:',
  '  1. install Go (https://go.dev/dl); the Collector is then built once, in about two minutes',
  '  2. name a Collector with the OTLP receiver and the debug exporter: OTELCOL_PATH=/usr/bin/otelcol',
].join('\n');

const MANIFEST = `dist:
  name: otelcol
  output_path: ./build
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver ${PINNED_VERSION}
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/debugexporter ${PINNED_VERSION}
`;

/**
 * Returns the path of a Collector: the one in OTELCOL_PATH, or one that is built if necessary. Throws a StackError
 * without Go.
 */
export async function findCollector(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  if (env['OTELCOL_PATH']) return env['OTELCOL_PATH'];
  const folder = path.join(userCacheFolder(env), `otelcol-${PINNED_VERSION}`);
  const program = path.join(folder, 'otelcol');
  if (existsSync(program)) return program;
  if (!hasGo(env)) throw new StackError(WHAT_IT_NEEDS);
  await context.progress.step(
    `Building the OpenTelemetry Collector ${PINNED_VERSION} with Go`,
    'about two minutes, once',
    () => buildCollector(folder, context, logsFolder, env),
  );
  return program;
}

async function buildCollector(
  folder: string,
  { supervisor }: CommandContext,
  logsFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'manifest.yaml'), MANIFEST);
  const builder = `go.opentelemetry.io/collector/cmd/builder@${PINNED_VERSION}`;
  const logFile = path.join(logsFolder, 'otelcol-builder.log');
  await goInstall({ package: builder, folder, logFile }, supervisor, env);
  await supervisor.run({
    name: 'the build of the OpenTelemetry Collector',
    command: path.join(folder, 'builder'),
    args: ['--config', 'manifest.yaml', '--skip-strict-versioning'],
    cwd: folder,
    env,
    logFile: path.join(logsFolder, 'otelcol-build.log'),
  });
  // The rename comes last, so that a failed build leaves no program under this name.
  renameSync(path.join(folder, 'build', 'otelcol'), path.join(folder, 'otelcol'));
}

/** Starts a Collector that prints received data. Resolves with the variables for tests once it answers. */
export async function startCollector(
  program: string,
  dataDir: string,
  { supervisor }: CommandContext,
): Promise<NodeJS.ProcessEnv> {
  const [port = 0] = await findFreePorts(1);
  const endpoint = `http://${HOST}:${port}/v1/traces`;
  const logFile = path.join(dataDir, 'logs', 'otelcol.log');
  const config = path.join(dataDir, 'otelcol.json');
  writeFileSync(config, JSON.stringify(collectorConfig(port)));
  await supervisor.start({
    name: 'the OpenTelemetry Collector',
    command: program,
    args: ['--config', config],
    logFile,
    plan: [{ signal: 'SIGTERM', waitMs: 10_000 }],
  });
  await waitUntil('the OpenTelemetry Collector', 30_000, () => answerProblem(endpoint));
  return { OTELCOL_TEST_ENDPOINT: endpoint, OTELCOL_TEST_LOG: logFile };
}

/**
 * Returns the configuration as JSON, which is valid YAML. The Collector's own metrics are off, since they would use a
 * port.
 */
function collectorConfig(port: number): object {
  return {
    receivers: { otlp: { protocols: { http: { endpoint: `${HOST}:${port}` } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } },
    },
  };
}

/** Returns a problem until the Collector answers. Any answer shows that it is running, also the 405 to this GET. */
async function answerProblem(endpoint: string): Promise<string | undefined> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(5_000) });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
