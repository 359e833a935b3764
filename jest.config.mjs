function ignoredUnlessAsked() {
  return process.env.SLUICE_TEST_EXTERNAL ? [] : ['<rootDir>/test/external/'];
}

/** Tests run as ES modules; `NODE_OPTIONS=--experimental-vm-modules` is set by the npm scripts. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Tests against servers that are not brought up here (npm run test:external).
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/.data/', ...ignoredUnlessAsked()],
};
