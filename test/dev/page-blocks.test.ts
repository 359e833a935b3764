import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { findPageFaults } from '../../dev/pages/page-faults.ts';
import { missingError, outputsOf, pageScript, stepsOf } from '../../dev/pages/page-script.ts';
import { listPages, parseBlocks, readBlocks } from '../../dev/pages/read-blocks.ts';
import { startReceiver } from '../support/receiver.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The number of blocks of commands that `npm run test:docs` may leave out. */
const MAX_NOT_RUN = 15;

describe('the pages', () => {
  test('have commands in sh blocks, output in text blocks, other languages by name', () => {
    const faults = listPages(ROOT).flatMap((page) =>
      findPageFaults(page, readFileSync(path.join(ROOT, page), 'utf8')),
    );
    expect(faults).toEqual([]);
  });

  test('leave at most 15 blocks of commands out, each with a reason', () => {
    const blocks = listPages(ROOT).flatMap((page) => readBlocks(ROOT, page));
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.filter(({ notRun }) => notRun !== undefined).length).toBeLessThanOrEqual(MAX_NOT_RUN);
  });
});

describe('findPageFaults', () => {
  test.each([
    ['without a language', '```\nnpm start\n```\n'],
    ['of another shell', '```bash\nnpm start\n```\n'],
    ['of a console', '```console\n$ npm start\n```\n'],
    ['with a prompt', '```sh\n$ npm start\n```\n'],
    ['with a placeholder', '```sh\nnpm run admin -- keys enable <hash>\n```\n'],
    ['of output that begins with a command', '```text\ncurl -s $BASE_URL/key\n```\n'],
    [
      'with a reason not to run, but without commands',
      '<!-- not run: it is output -->\n\n```text\nok\n```\n',
    ],
    ['without fences', 'Type:\n\n    npm start\n'],
  ])('reports a block %s', (_, text) => {
    expect(findPageFaults('page.md', text)).toHaveLength(1);
  });

  test('names the page and the line of a fault', () => {
    expect(findPageFaults('page.md', '# Title\n\n```zsh\nls\n```\n')[0]).toMatch(/^page\.md:3 is a block/);
  });
});

test('a block in a list loses the indent of its fence, and keeps its own', () => {
  const text = '1. First:\n\n   ```sh\n   if true; then\n     ls\n   fi\n   ```\n';
  expect(parseBlocks('page.md', text)).toEqual([
    { page: 'page.md', line: 3, language: 'sh', code: 'if true; then\n  ls\nfi' },
  ]);
});

describe('the script of a page', () => {
  test('keeps variables between blocks, and skips marked blocks and other languages', async () => {
    const { outputs, failed } = await run(
      '```sh\nA=1\n```\n\n```json\n{}\n```\n\n<!-- not run: no -->\n\n```sh\nfalse\n```\n\n```sh\necho $A\n```\n',
    );
    expect(failed).toBe(false);
    expect([...outputs.values()]).toEqual(['', '1']);
  });

  test('ends in the first block with a failing command, even inside a pipe', async () => {
    const { outputs, failed } = await run('```sh\necho begin\nfalse | cat\n```\n\n```sh\necho never\n```\n');
    expect(failed).toBe(true);
    expect([...outputs]).toEqual([[1, 'begin']]);
  });

  test('skips commands that run until Ctrl-C', async () => {
    const { failed } = await run('```sh\nKEY=1 npm start\nnpm run dev\n```\n');
    expect(failed).toBe(false);
  });

  test('ends after a response with a status of 400 or more', async () => {
    const { outputs, failed } = await run('```sh\ncurl -s $REFUSING\n```\n\n```sh\necho never\n```\n');
    expect(failed).toBe(true);
    expect([...outputs.keys()]).toEqual([1]);
    expect(outputs.get(1)).toContain('"error"');
  });

  test('continues after an error that the page shows, and reports its absence', async () => {
    const page = (command: string) =>
      `\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`json\n{ "error": {} }\n\`\`\`\n\n\`\`\`sh\necho after\n\`\`\`\n`;
    const refused = await run(page('curl -s $REFUSING'));
    expect(refused.outputs.get(9)).toBe('after');
    expect(refused.missing).toBeUndefined();
    expect((await run(page('echo {}'))).missing?.line).toBe(1);
  });
});

describe("the script of the newcomers' page", () => {
  test('runs npm start until the next one, and continues without its keys as in another terminal', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-page-'));
    const fake = `#!/bin/sh\necho "[$*] key $PROVIDER_X_API_KEY"\necho 'Ctrl-C stops everything.'\n[ "$*" != start ] || exec sleep 60\n`;
    await writeFile(path.join(folder, 'npm'), fake, { mode: 0o755 });
    const blocks = [
      'export PROVIDER_X_API_KEY=1\nnpm start',
      'npm run admin',
      'FIRST=$STACK\nnpm start',
      'kill -0 $FIRST',
    ];
    const steps = stepsOf(
      parseBlocks('page.md', blocks.map((code) => `\`\`\`sh\n${code}\n\`\`\`\n`).join('\n')),
    );
    const script = `cd ${folder}\nPATH=${folder}:$PATH\nexec 2>&1\n${pageScript([], steps, { startsStack: true })}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script]).catch(
      (error: { stdout: string }) => error,
    );
    await rm(folder, { recursive: true });
    const [first, admin, second, gone] = outputsOf(stdout).values();
    expect(first).toContain('[start] key 1');
    expect(admin).toContain('[run admin] key \n');
    expect(second).toContain('[start] key \n');
    expect(gone).toContain('No such process');
  });
});

/** Runs the script of a page. The variable REFUSING has the address of a server that refuses every request. */
async function run(text: string) {
  const receiver = await startReceiver({ status: 404, body: '{"error":{"code":404}}' });
  const steps = stepsOf(parseBlocks('page.md', text));
  try {
    const env = { ...process.env, REFUSING: receiver.url };
    const script = `exec 2>&1\n${pageScript([], steps)}`;
    const { log, failed } = await promisify(execFile)('bash', ['-c', script], { env }).then(
      ({ stdout }) => ({ log: stdout, failed: false }),
      ({ stdout }: { stdout: string }) => ({ log: stdout, failed: true }),
    );
    const outputs = outputsOf(log);
    return { outputs, failed, missing: missingError(steps, outputs) };
  } finally {
    await receiver.close();
  }
}
