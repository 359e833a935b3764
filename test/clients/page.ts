import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Gateway } from '../support/gateway.ts';

/** A snippet of docs/clients.md. */
export interface Snippet {
  /** The heading above it. */
  section: string;
  code: string;
  /** The block `text` right below it: everything that the snippet prints. Undefined without such a block. */
  printed: string | undefined;
}

export const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'clients.md');
/** The origin that all snippets of the page name. */
const ORIGIN = 'http://127.0.0.1:8080';
const FENCED =
  /^### (?<section>.+)|^```(?<language>\w+)\n(?<code>[^]*?)^```\n(?:\n```text\n(?<printed>[^]*?)^```)?/gm;

/** Returns the snippets of docs/clients.md in a language, such as `ts`, in the page's order. */
export function snippetsIn(language: string): Snippet[] {
  let section = '';
  return [...readFileSync(PAGE, 'utf8').matchAll(FENCED)].flatMap(({ groups = {} }) => {
    section = groups['section'] ?? section;
    const { code = '', printed } = groups;
    return groups['language'] === language ? [{ section, code, printed }] : [];
  });
}

/**
 * Runs a snippet as `command`, which takes code as its last argument, and resolves with what it prints. The snippet
 * calls the gateway in place of the page's origin, and finds the key in API_KEY.
 */
export async function runSnippet(
  { section, code }: Snippet,
  [command = '', ...args]: readonly string[],
  { origin, apiKey }: Pick<Gateway, 'origin' | 'apiKey'>,
): Promise<string> {
  const child = spawn(command, [...args, code.replaceAll(ORIGIN, origin)], {
    cwd: import.meta.dirname,
    env: { PATH: process.env['PATH'], API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (exitCode !== 0) throw new Error(`${section}: the snippet ended with exit code ${exitCode}:\n${stderr}`);
  return stdout;
}
