/**
 * Reports suites as Jest does, and a single one test by test. Says how many are done, which ones were slow, and how to
 * run one of them.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import type { VerboseReporter as JestReporter } from '@jest/reporters';

// Required, because its types describe it as CommonJS alone.
const { VerboseReporter } = createRequire(import.meta.url)('@jest/reporters') as {
  VerboseReporter: typeof JestReporter;
};

type Results = Parameters<JestReporter['onTestResult']>[2];

const SLOWEST = 10;

export default class ProgressReporter extends VerboseReporter {
  /** The place of a suite among all, until its line is printed. */
  private place = '';

  override onTestResult(...[test, result, all]: Parameters<JestReporter['onTestResult']>): void {
    const done = all.numPassedTestSuites + all.numFailedTestSuites + all.numPendingTestSuites;
    this.place = `${done}/${all.numTotalTestSuites} `;
    super.onTestResult(test, result, all);
  }

  override log(message: string): void {
    super.log(`${this.place}${message}`);
    this.place = '';
  }

  override onRunComplete(_contexts?: unknown, results?: Results): void {
    super.onRunComplete();
    const suites = results?.testResults ?? [];
    if (suites.length <= SLOWEST) return;
    const slowest = suites
      .map(({ testFilePath, perfStats }) => ({ file: testFilePath, seconds: perfStats.runtime / 1_000 }))
      .toSorted((one, other) => other.seconds - one.seconds)
      .slice(0, SLOWEST);
    this.log(`\nThe slowest of ${suites.length} suites:`);
    for (const { file, seconds } of slowest) {
      this.log(`${seconds.toFixed(1).padStart(7)} s  ${path.relative(process.cwd(), file)}`);
    }
    const command = process.env['SLUICE_TEST_COMMAND'] ?? 'npm test --';
    this.log(`Run one of them: ${command} ${path.relative(process.cwd(), slowest[0]?.file ?? '')}\n`);
  }
}
