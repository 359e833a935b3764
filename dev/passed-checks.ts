/** Remembers on which content each check passed, so that an unchanged checkout is not checked again. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listGitFiles } from './list-files.ts';
import { ROOT } from './settings.ts';

/** The folder in which the checks' own tools keep what they know of unchanged files, too. */
export const CACHE_FOLDER = 'node_modules/.cache/sluice';

export interface PassedChecks {
  has(name: string): boolean;
  /** Remembers that a check passed, unless a file has changed since the memory was opened. */
  add(name: string): void;
}

/** Opens the memory for the checkout as it is now. It stays empty in a folder without git. */
export function openPassedChecks(root = ROOT): PassedChecks {
  const file = path.join(root, CACHE_FOLDER, 'passed.json');
  const digest = contentDigest(root);
  const passed = new Map<string, string>(Object.entries(read(file)));
  return {
    has: (name) => digest !== undefined && passed.get(name) === digest,
    add(name) {
      if (digest === undefined || contentDigest(root) !== digest) return;
      passed.set(name, digest);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(Object.fromEntries(passed)));
    },
  };
}

function read(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}

/** Returns a digest of all files that git tracks or would add. The lock file among them names the tools' versions. */
function contentDigest(root: string): string | undefined {
  const files = listGitFiles(root);
  if (files === undefined) return undefined;
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}
