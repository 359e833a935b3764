/** Finds blocks of pages that break the rules by which `npm run test:docs` reads them. */
import { parseBlocks, type PageBlock } from './read-blocks.ts';

/** The languages of blocks: commands, output, and what else pages show. */
const LANGUAGES = new Set(['sh', 'text', 'json', 'js', 'ts', 'python', 'sql', 'toml', 'yaml', 'ini']);

/** Matches the prompt of a shell at the start of a line. */
const PROMPT = /^\s*[$>%] /m;

/** Matches words for a value that the reader would have to put in. */
const PLACEHOLDER = /<[a-z][a-z -]*>/;

/** Matches a first line that somebody would type. */
const COMMAND = /^\s*(?:[A-Z_]+=\S+ )*(?:curl|docker|git|go|node|npm|npx|psql|python3?|sh|temporal) \S/;

/** Returns what is wrong with the blocks of a page, one sentence for each fault. */
export function findPageFaults(page: string, text: string): string[] {
  const blocks = parseBlocks(page, text);
  const indented = findIndentedCode(text, blocks).map(
    (line) => `${page}:${line} is indented code. Put it between fences: sh for commands, text for output.`,
  );
  return [...blocks.flatMap(findBlockFaults), ...indented];
}

function findBlockFaults({ page, line, language, code, notRun }: PageBlock): string[] {
  const place = `${page}:${line}`;
  if (!LANGUAGES.has(language)) {
    return [
      `${place} is a block of the language "${language}". Commands stand in sh, output in text, and others are ${[...LANGUAGES].slice(2).join(', ')}.`,
    ];
  }
  if (language === 'sh') {
    const [placeholder] = PLACEHOLDER.exec(code) ?? [];
    return [
      ...(PROMPT.test(code)
        ? [`${place} has a prompt. Leave it out, and put output into a block text of its own.`]
        : []),
      ...(placeholder === undefined ? [] : [`${place} has ${placeholder}. Put the value into a variable.`]),
    ];
  }
  if (notRun !== undefined) return [`${place} has no commands, so "not run" means nothing there.`];
  return language === 'text' && COMMAND.test(code)
    ? [`${place} is a block text that begins with a command. Commands stand in a block sh.`]
    : [];
}

/** Returns the first lines of code that is indented by four columns or more instead of fenced. */
function findIndentedCode(text: string, blocks: readonly PageBlock[]): number[] {
  const lines = text.split('\n');
  const isFenced = (number: number) =>
    blocks.some(({ line, code }) => number >= line && number <= line + code.split('\n').length + 1);
  return lines.flatMap((line, index) => {
    const isFirst = index > 0 && lines[index - 1]?.trim() === '';
    const isCode = isFirst && /^ {4}/.test(line) && !/^\s*([-*+]|\d+\.) /.test(line);
    return isCode && !isFenced(index + 1) ? [index + 1] : [];
  });
}
