/**
 * The workflows as one file, which `npm test` makes once for all its suites. Undefined in processes that
 * nobody gave one: there each worker bundles them for itself, which takes seconds.
 */
export const sharedWorkflowBundle: string | undefined = process.env['SLUICE_TEST_WORKFLOW_BUNDLE'];
