/** Turns the blocks of a page into one script, and reads the output of its blocks. */
import type { PageBlock } from './read-blocks.ts';

/** Begins the line that the script prints before each block. */
const MARK = '\u001E';

/** Matches an answer that is an error. */
const SHOWN_ERROR = /"error": ?\{/;

/** Replaces curl: an HTTP status of 400 or more makes it fail, also with `-s`. */
const CURL = `
curl() { command curl --fail-with-body --show-error --max-time 60 "$@"; }
`;

/** Replaces npm: commands that run until Ctrl-C do nothing, because the stack runs already. */
const NPM_BESIDE_STACK = `
npm() {
  case "\${1-} \${2-}" in
    'start '* | 'run dev') echo "npm $* is not run: the stack runs already" ;;
    *) command npm "$@" ;;
  esac
}
`;

/**
 * Replaces npm: `npm start` runs in the background. When the stack says that it runs, the script continues as another
 * terminal, without the keys that were set in the first one. A further start ends the one before.
 */
const NPM_WITH_STACK = `
stop_stack() {
  if [ -n "\${STACK-}" ]; then kill "$STACK" && wait "$STACK" || :; fi
  STACK=
}
trap stop_stack EXIT
npm() {
  if [ "$*" != start ]; then command npm "$@"; return; fi
  stop_stack
  : >start.log
  command npm start >>start.log 2>&1 &
  STACK=$!
  until grep -q '^Ctrl-C stops everything' start.log; do
    if ! kill -0 "$STACK"; then cat start.log; return 1; fi
    sleep 0.2
  done
  cat start.log
  for name in \${!PROVIDER_*}; do
    case "$name" in *_API_KEY) unset "$name" ;; esac
  done
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

/**
 * Returns a script that runs the preamble and then all steps in one shell, and stops at the first failure. With
 * `startsStack`, the page's own `npm start` runs the stack.
 */
export function pageScript(
  preamble: readonly Step[],
  steps: readonly Step[],
  { startsStack = false } = {},
): string {
  const blocks = steps.map(({ line, code, showsError }) => {
    const marked = `echo '${MARK}${line}'\n${code}\n`;
    return showsError ? `unset -f curl\n${marked}${CURL}` : marked;
  });
  const functions = [CURL, startsStack ? NPM_WITH_STACK : NPM_BESIDE_STACK];
  return ['set -euo pipefail', ...functions, ...preamble.map(({ code }) => code), ...blocks].join('\n');
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
