/** Reads the fenced blocks of pages, and lists the pages. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A fenced block of a page. */
export interface PageBlock {
  page: string;
  /** The line of the opening fence, counted from 1. */
  line: number;
  /** The word behind the opening fence; empty if there is none. */
  language: string;
  /** The lines between the fences, without the indent of the fence. */
  code: string;
  /** The reason in `<!-- not run: … -->` before the fence. */
  notRun?: string | undefined;
}

/** The page on which a newcomer starts the stack. Its commands run before all others, without a running stack. */
export const NEWCOMERS_PAGE = 'docs/first-answer.md';

/**
 * Returns README.md and the pages of `docs/`. The page for operators is the last one, because its commands change the
 * whole deployment.
 */
export function listPages(root: string): string[] {
  const last = 'docs/operators.md';
  const pages = globSync('docs/**/*.md', { cwd: root }).toSorted();
  return ['README.md', ...pages.filter((page) => page !== last), last];
}

/** Returns the fenced blocks of a page of the checkout, in their order. */
export function readBlocks(root: string, page: string): PageBlock[] {
  return parseBlocks(page, readFileSync(path.join(root, page), 'utf8'));
}

/** Returns the fenced blocks of a page's text, in their order. */
export function parseBlocks(page: string, text: string): PageBlock[] {
  const blocks: PageBlock[] = [];
  let open: { block: PageBlock; indent: number; fence: string; code: string[] } | undefined;
  let lastText = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', fence, info = ''] = /^( *)(```+|~~~+)(.*)$/.exec(line) ?? [];
    if (open !== undefined) {
      if (fence === undefined || !fence.startsWith(open.fence)) open.code.push(line.slice(open.indent));
      else {
        blocks.push({ ...open.block, code: open.code.join('\n') });
        open = undefined;
      }
    } else if (fence !== undefined) {
      const [, notRun] = /^<!-- not run: (.+) -->$/.exec(lastText) ?? [];
      const block = { page, line: index + 1, language: info.trim(), code: '', notRun };
      open = { block, indent: indent.length, fence, code: [] };
    }
    if (line.trim() !== '') lastText = line.trim();
  }
  return blocks;
}
