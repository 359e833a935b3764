import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const AIMOCK_KEY = 'sk-aimock-0123456789abcdef';

/** The question that the server has an answer to. It does not know others. */
export const AIMOCK_QUESTION = 'What stands on the cliff?';
export const AIMOCK_ANSWER = 'A lighthouse stands on the cliff, and its light turns all night.';

/** The question that the server answers with a call of the tool `look`. */
export const AIMOCK_CALL = 'Look at the cliff.';

/** The end of what a validation asks; any answer passes. */
const VALIDATION_QUESTION = 'and nothing else.';

/** A model server that others wrote, in a process of its own: OpenAI's wire, Azure's in both forms, and Gemini's. */
export interface Aimock {
  /** Such as `http://127.0.0.1:<port>`. OpenAI's wire is below `/v1`, and Gemini's below `/v1beta`. */
  origin: string;
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../node_modules/.bin/llmock', import.meta.url));

/** Starts the server on a free port. It takes the keys in any header and refuses others; null asks for none. */
export async function startAimock(keys: string | null = AIMOCK_KEY): Promise<Aimock> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-aimock-'));
  const fixtures = [AIMOCK_QUESTION, VALIDATION_QUESTION].map((userMessage) => ({
    match: { userMessage },
    response: { content: AIMOCK_ANSWER } as object,
  }));
  const toolCalls = [{ name: 'look', arguments: '{"at":"the cliff"}' }];
  fixtures.push({ match: { userMessage: AIMOCK_CALL }, response: { toolCalls } });
  await writeFile(path.join(folder, 'answers.json'), JSON.stringify({ fixtures }));
  const child = spawn(process.execPath, [PROGRAM, '-p', '0', '-f', folder], {
    env: keys === null ? {} : { AIMOCK_API_KEYS: keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const said: string[] = [];
  child.stderr.on('data', (text: Buffer) => said.push(text.toString('utf8')));
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const [, origin] = /listening on (http:\S+)/.exec(line) ?? [];
    if (origin === undefined) continue;
    child.stdout.resume();
    return { origin, close };
  }
  await close();
  throw new Error(`aimock ended before it listened: ${said.join('\n')}`);
}
