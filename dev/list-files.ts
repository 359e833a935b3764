/** Lists the files of a checkout, with or without git. */
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import path from 'node:path';

/** Folders with files that are made here, as `.gitignore` has them. */
const MADE_HERE = new Set(['.git', 'node_modules', 'dist', 'coverage', '.data', '__pycache__', 'generated']);

/** Returns the files that git tracks or would add, relative to the root. Undefined in a folder without git. */
export function listGitFiles(root: string): string[] | undefined {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const files = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio }).split('\0');
    return files.filter((file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile());
  } catch {
    return undefined;
  }
}

/** Returns the files of a checkout. In an unpacked archive, which has no git, these are all that are not made here. */
export function listFiles(root: string): string[] {
  const all = (): string[] => {
    const found = globSync(['**/*', '**/.*'], {
      cwd: root,
      withFileTypes: true,
      exclude: ({ name }) => MADE_HERE.has(name),
    });
    return found
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  };
  return listGitFiles(root) ?? all();
}
