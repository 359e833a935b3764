import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readComments, readTestTitles } from './read-comments.ts';
import { readMarkdown } from './read-markdown.ts';
import { findCommentFaults, findReferenceFaults, findWordFaults, type ProseFault } from './rules.ts';

/** A fault with its place. `file` is relative to the checkout. */
export interface PlacedFault extends ProseFault {
  file: string;
  line: number;
}

const PAGES = /^(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$|^docs\/.*\.md$/;

/**
 * Returns the tracked files below the paths that contain prose to check. Without paths, returns those of the whole
 * checkout.
 */
export function listProseFiles(root: string, paths: string[], titles: boolean): string[] {
  const tracked = execFileSync('git', ['ls-files', '-z', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
  }).split('\0');
  const judged = (file: string) =>
    titles
      ? file.endsWith('.test.ts')
      : (file.endsWith('.ts') && !file.startsWith('test/')) || PAGES.test(file);
  return tracked.filter((file) => judged(file) && existsSync(path.join(root, file)));
}

/**
 * Returns the faults of one file. Doc comments are checked by every rule, and other comments for lost references. Pages
 * and titles of tests are checked for forbidden words and lost references.
 */
export function findFileFaults(root: string, file: string): PlacedFault[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  const placed = (line: number, faults: ProseFault[]) => faults.map((fault) => ({ ...fault, file, line }));
  if (file.endsWith('.md'))
    return readMarkdown(source).flatMap(({ line, text }) => placed(line, findWordFaults(text)));
  if (file.startsWith('test/')) {
    return readTestTitles(file, source).flatMap(({ line, text }) => placed(line, findWordFaults(text)));
  }
  return readComments(file, source).flatMap(({ line, text, isDoc }) =>
    placed(line, isDoc ? findCommentFaults(text) : findReferenceFaults(text)),
  );
}
