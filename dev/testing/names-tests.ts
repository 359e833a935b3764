/** Arguments of Jest that choose tests without a path. */
const CHOOSES_TESTS =
  /^(-t|--testNamePattern|--testPathPatterns?|-o|--only\w+|-f|--changed\w+|--lastCommit|--watch\w*)(=|$)/u;

/** A number, or a share of the processors: the value of the argument before it, as in `--maxWorkers 50%`. */
const VALUE = /^\d+%?$/u;

/**
 * Returns whether arguments for Jest name tests: by a path, by a title or by what changed. Others, such as `--bail`, do
 * not.
 */
export function namesTests(jestArguments: readonly string[]): boolean {
  return jestArguments.some((argument) =>
    argument.startsWith('-') ? CHOOSES_TESTS.test(argument) : !VALUE.test(argument),
  );
}
