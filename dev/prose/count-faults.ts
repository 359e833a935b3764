/** Finds faults in the comments, pages and test titles of the repository. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../list-files.ts';
import {
  hasHeader,
  parseSource,
  readCommentLines,
  readComments,
  readSentences,
  readTestTitles,
} from './read-comments.ts';
import { readMarkdown } from './read-markdown.ts';
import {
  findCommentFaults,
  findLineFaults,
  findReferenceFaults,
  findTitleFaults,
  findWordFaults,
  type ProseFault,
} from './rules.ts';

/** A fault with its place. `file` is relative to the checkout. */
export interface PlacedFault extends ProseFault {
  file: string;
  line: number;
}

/** Files whose strings are texts of made-up callers, or words that callers use. */
const TEXTS_OF_CALLERS = new Set(['dev/seed/apps.ts', 'domain/catalog/content-class.ts']);

const PAGES = /^(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$|^docs\/.*\.md$/;

/** Returns the files below the paths that contain prose to check. Without paths, these are of the whole checkout. */
export function listProseFiles(root: string, paths: string[]): string[] {
  const folders = (paths.length === 0 ? ['.'] : paths).map((name) => path.resolve(root, name));
  return listFiles(root).filter((file) => {
    const isNamed = folders.some((folder) => `${path.join(root, file)}/`.startsWith(`${folder}/`));
    return isNamed && (file.endsWith('.ts') || PAGES.test(file));
  });
}

/**
 * Returns the faults of one file. Doc comments are checked by every rule, and other comments for lost references.
 * Pages and strings are checked for forbidden words and lost references. A file begins by saying what it does. In a
 * test, the titles are checked, and the comments for long lines and lost references.
 */
export function findFileFaults(root: string, file: string): PlacedFault[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  const placed = (line: number, faults: ProseFault[]) => faults.map((fault) => ({ ...fault, file, line }));
  if (file.endsWith('.md'))
    return readMarkdown(source).flatMap(({ line, text }) => placed(line, findWordFaults(text)));
  const parsed = parseSource(file, source);
  const lines = readCommentLines(parsed).flatMap(({ line, text }) => placed(line, findLineFaults(text)));
  const isTest = file.startsWith('test/');
  const comments = readComments(parsed).flatMap(({ line, text, isDoc }) =>
    placed(line, isDoc && !isTest ? findCommentFaults(text) : findReferenceFaults(text)),
  );
  if (isTest) {
    const titles = readTestTitles(parsed).flatMap(({ line, text, isGroup }) =>
      placed(line, isGroup ? findWordFaults(text) : findTitleFaults(text)),
    );
    return [...lines, ...comments, ...titles];
  }
  const header = hasHeader(parsed) ? [] : placed(1, [{ rule: 'no header', excerpt: file }]);
  const sentences = TEXTS_OF_CALLERS.has(file) ? [] : readSentences(parsed);
  return [
    ...header,
    ...lines,
    ...comments,
    ...sentences.flatMap(({ line, text }) => placed(line, findWordFaults(text))),
  ];
}
