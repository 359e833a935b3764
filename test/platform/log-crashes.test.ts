import { execFile } from 'node:child_process';
import { expect, test } from '@jest/globals';

const PLATFORM = new URL('../../platform/', import.meta.url).href;

/** Runs a module that fails, and returns what its process printed. */
function crash(failing: string): Promise<{ code: number; printed: string }> {
  const program = `
    const { createLogger } = await import('${PLATFORM}logger.ts');
    const { logCrashes } = await import('${PLATFORM}log-crashes.ts');
    logCrashes(createLogger({ level: 'info', name: 'test' }));
    const error = Object.assign(new Error('a violation'), { detail: 'Failing row contains (a prompt)' });
    ${failing}`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: {} },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), printed: stdout + stderr }),
    );
  });
}

test.each([
  ['thrown later', 'setImmediate(() => { throw error; });'],
  ['rejected and not handled', 'void Promise.reject(error);'],
  ['thrown at the start', 'throw error;'],
])('an error that is %s logs no row values and ends the process', async (_, failing) => {
  const { code, printed } = await crash(failing);
  expect(code).toBe(1);
  expect(printed).toContain('"level":"fatal"');
  expect(printed).toContain('a violation');
  expect(printed).not.toContain('a prompt');
});
