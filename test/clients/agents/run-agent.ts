import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Gateway } from '../../support/gateway.ts';
import { snippetsIn } from '../page.ts';

const PROGRAMS = path.join(import.meta.dirname, 'node_modules', '.bin');
/** The origin that all snippets of the page name. */
const ORIGIN = 'http://127.0.0.1:8080';

/** Two folders of one agent, which knows nothing of the machine's user. */
export interface Desk {
  home: string;
  /** Holds `input.txt`. */
  work: string;
  /** Resolves with what the agent wrote to `output.txt`. */
  output(): Promise<string>;
  clear(): Promise<void>;
}

export async function createDesk(): Promise<Desk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-agent-'));
  const [home, work] = [path.join(folder, 'home'), path.join(folder, 'work')];
  await Promise.all([mkdir(home), mkdir(work)]);
  await writeFile(path.join(work, 'input.txt'), 'the river is high\n');
  return {
    home,
    work,
    output: () => readFile(path.join(work, 'output.txt'), 'utf8'),
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Returns the snippet of docs/clients.md in a language below a heading, with the gateway in place of the page's origin.
 */
export function snippetFor(section: string, language: string, { origin }: Pick<Gateway, 'origin'>): string {
  const found = snippetsIn(language).find((snippet) => snippet.section === section);
  if (found === undefined) throw new Error(`docs/clients.md has no ${language} for ${section}`);
  return found.code.replaceAll(ORIGIN, origin);
}

export interface AgentRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs commands of a shell where the agents are installed. The key is in API_KEY, as the page says. */
export async function runAgent(
  commands: string,
  { home, work }: Desk,
  apiKey: string,
  more: NodeJS.ProcessEnv = {},
): Promise<AgentRun> {
  const child = spawn('sh', ['-c', commands], {
    cwd: work,
    env: {
      PATH: `${PROGRAMS}:${process.env['PATH']}`,
      HOME: home,
      API_KEY: apiKey,
      // The tests call nobody but the gateway.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, stdout, stderr };
}
