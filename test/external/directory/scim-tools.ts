import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('run-scim2-tester.py', import.meta.url));
const run = promisify(execFile);

/** Where a SCIM server is, and what it is called with. */
export interface ScimPlace {
  baseUrl: string;
  token: string;
}

/** One finding of scim2-tester. */
export interface TesterResult {
  status: 'SUCCESS' | 'COMPLIANT' | 'ACCEPTABLE' | 'DEVIATION' | 'ERROR' | 'CRITICAL' | 'SKIPPED';
  check: string;
  resourceType: string | null;
  reason: string | null;
  data: string | null;
}

/** One finding of scim-sanity. */
export interface ProbeResult {
  name: string;
  status: 'pass' | 'fail' | 'warn' | 'skip' | 'error';
  message?: string;
}

/** Returns the path of a program of the Python environment that `npm run test:external` found. */
export function scimTool(name: string): string {
  return path.join(process.env['SCIM_TEST_VENV'] ?? '', 'bin', name);
}

/** Runs all checks of scim2-tester. */
export async function runTester({ baseUrl, token }: ScimPlace): Promise<TesterResult[]> {
  const { stdout } = await run(scimTool('python'), [SCRIPT, baseUrl, token]);
  return JSON.parse(stdout) as TesterResult[];
}

/** Runs the probe of scim-sanity, which exits with 1 when a check failed and with 0 otherwise. */
export async function runProbe(
  { baseUrl, token }: ScimPlace,
  options: string[],
): Promise<{ exitCode: number; results: ProbeResult[] }> {
  const args = ['probe', baseUrl, '--token', token, '--i-accept-side-effects', '--json-output', ...options];
  const { stdout, exitCode } = await run(scimTool('scim-sanity'), args).then(
    (ended) => ({ stdout: ended.stdout, exitCode: 0 }),
    (error: { stdout: string; code: number }) => ({ stdout: error.stdout, exitCode: error.code }),
  );
  const { results } = JSON.parse(stdout) as { results: ProbeResult[] };
  return { exitCode, results };
}
