/** Suites that wait for deaths, outages, or workflows of minutes: `npm run test:all` runs them. */
const LONG = ['crashes', 'outages', 'workflows'];

function ignoredUnlessAsked() {
  return [
    ...(process.env.SLUICE_TEST_LONG ? [] : LONG.map((folder) => `<rootDir>/test/${folder}/`)),
    ...(process.env.SLUICE_TEST_EXTERNAL ? [] : ['<rootDir>/test/external/']),
    ...(process.env.SLUICE_TEST_CONSOLE ? [] : ['<rootDir>/test/console/']),
    ...(process.env.SLUICE_TEST_CLIENTS ? [] : ['<rootDir>/test/clients/']),
    ...(process.env.SLUICE_TEST_FAULTS ? [] : ['<rootDir>/test/faults/']),
  ];
}

/** Jest finds, orders and reports the suites; Node itself loads them, as it loads the product. */
export default {
  runtime: '<rootDir>/test/jest/node-runtime.ts',
  testEnvironment: '<rootDir>/test/jest/node-environment.ts',
  testSequencer: '<rootDir>/test/jest/longest-first.ts',
  transform: {},
  // Every statement is compared with the shape of its rows.
  setupFilesAfterEnv: ['<rootDir>/test/support/check-shapes.ts'],
  // All is imported, from @jest/globals.
  injectGlobals: false,
  // As patient as test/support/eventually.ts: workflows move in steps of a second, on machines that are busy.
  testTimeout: 240_000,
  // What suites leave behind in a process (their modules stay loaded) is to stay small beside the product.
  workerIdleMemoryLimit: '1.5GB',
  // Half a second, the default, is too little for Temporal's native part to go on a machine that is busy.
  workerGracefulExitTimeout: 10_000,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  reporters: ['<rootDir>/test/jest/progress-reporter.ts', 'summary'],
  // These suites run by other commands: the long ones (npm run test:all), tests against servers that are not brought up here
  // (npm run test:external), tests of clients that `npm ci` does not install (npm run test:clients), tests in a browser
  // (npm run test:console), and tests of endurance
  // (npm run faults).
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/.data/', ...ignoredUnlessAsked()],
};
