/** Turns the blocks of a page into one script, and reads the output of its blocks. */
import type { PageBlock } from './read-blocks.ts';

/** Begins the line that the script prints before each block. */
const MARK = '\u001E';

/** Matches an answer that is an error. */
const SHOWN_ERROR = /"error": ?\{/;

/**
 * Replaces two commands. An HTTP status of 400 or more makes curl fail, also with `-s`. Commands that run until Ctrl-C
 * do nothing: the stack runs already.
 */
const FUNCTIONS = `
curl() { command curl --fail-with-body --show-error --max-time 60 "$@"; }
npm() {
  case "\${1-} \${2-}" in
    'start '* | 'run dev') echo "npm $* is not run: the stack runs already" ;;
    *) command npm "$@" ;;
  esac
}
`;

/** A block of commands, with what the page shows after it. */
export interface Step extends PageBlock {
  /** True if the page shows an error as the answer. */
  showsError: boolean;
}

/** Returns the blocks of commands that run. */
export function stepsOf(blocks: readonly PageBlock[]): Step[] {
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh' || block.notRun !== undefined) return [];
    const next = blocks[index + 1];
    const showsError =
      (next?.language === 'json' || next?.language === 'text') && SHOWN_ERROR.test(next.code);
    return [{ ...block, showsError }];
  });
}

/** Returns a script that runs the preamble and then all steps in one shell, and stops at the first failure. */
export function pageScript(preamble: readonly Step[], steps: readonly Step[]): string {
  const blocks = steps.map(({ line, code, showsError }) => {
    const marked = `echo '${MARK}${line}'\n${code}\n`;
    return showsError ? `unset -f curl\n${marked}${FUNCTIONS}` : marked;
  });
  return ['set -euo pipefail', FUNCTIONS, ...preamble.map(({ code }) => code), ...blocks].join('\n');
}

/** Returns what each block printed, by its line. The last entry is the block that ended the script. */
export function outputsOf(log: string): Map<number, string> {
  const parts = log.split(MARK).slice(1);
  return new Map(
    parts.map((part) => {
      const [line = '', ...output] = part.split('\n');
      return [Number(line), output.join('\n').trim()];
    }),
  );
}

/** Returns the step whose answer had to be an error and was none. */
export function missingError(steps: readonly Step[], outputs: Map<number, string>): Step | undefined {
  return steps.find(({ line, showsError }) => showsError && !SHOWN_ERROR.test(outputs.get(line) ?? ''));
}
