/** Installs and starts a LiteLLM proxy, which tests use as a customer's private endpoint. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { findFreePorts } from '../ports.ts';
import { findPythonEnvironment } from '../python-environment.ts';
import { HOST } from '../settings.ts';
import { waitUntil } from '../wait-until.ts';

/** A third-party proxy for models; MIT. */
const LITELLM = {
  name: 'litellm',
  requirement: 'litellm[proxy]',
  version: '1.104.5',
  size: 'about a minute, once',
  installHint: [
    "The tests against LiteLLM's proxy need one, and it cannot be installed here: python3 with venv and pip is missing.",
    'Any one of these helps:',
    '  1. install Python 3.9 or later with venv; LiteLLM (about 720 MB on the disk) is then installed once',
    '  2. name a program of another installation: LITELLM_PATH=/opt/venv/bin/litellm',
  ].join('\n'),
};

const KEY = 'sk-litellm-0123456789abcdef';

/**
 * Returns the path of LiteLLM's program: the one in LITELLM_PATH, the installed one, or a new one. Throws a StackError
 * without Python.
 */
export async function findLitellm(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  if (env['LITELLM_PATH']) return env['LITELLM_PATH'];
  return path.join(await findPythonEnvironment(LITELLM, context, logsFolder, env), 'bin', 'litellm');
}

/** Starts a proxy with mock models. Resolves with the variables for tests once it answers. */
export async function startLitellm(
  program: string,
  dataDir: string,
  { supervisor }: CommandContext,
  env = process.env,
): Promise<NodeJS.ProcessEnv> {
  const [port = 0] = await findFreePorts(1);
  const origin = `http://${HOST}:${port}`;
  const home = path.join(dataDir, 'litellm');
  mkdirSync(home, { recursive: true });
  const config = path.join(home, 'config.json');
  writeFileSync(config, JSON.stringify(CONFIG));
  await supervisor.start({
    name: "LiteLLM's proxy",
    command: program,
    args: ['--config', config, '--host', HOST, '--port', `${port}`],
    env: { PATH: env['PATH'], HOME: home, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    logFile: path.join(dataDir, 'logs', 'litellm.log'),
    plan: [{ signal: 'SIGTERM', waitMs: 10_000 }],
  });
  await waitUntil("LiteLLM's proxy", 120_000, () => livenessProblem(`${origin}/health/liveliness`));
  return { LITELLM_TEST_ORIGIN: origin, LITELLM_TEST_KEY: KEY };
}

/** The configuration as JSON, which is valid YAML. The proxy returns a fixed answer itself, without a vendor. */
const CONFIG = {
  model_list: [
    {
      model_name: 'our-gpt',
      litellm_params: {
        model: 'openai/gpt-4o-mini',
        api_key: 'none',
        mock_response: 'A lighthouse stands on the cliff.',
      },
    },
  ],
  general_settings: { master_key: KEY },
  litellm_settings: { telemetry: false },
};

async function livenessProblem(url: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return status === 200 ? undefined : `status ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
