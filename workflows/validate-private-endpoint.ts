import { CancellationScope, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { ValidationActivities } from '../activities/validation-activities.ts';
import type { ValidatePrivateEndpointInput } from '../domain/runs.ts';
import { CHECKS_OPTIONS, DATABASE_OPTIONS } from './activity-options.ts';
import { isLostAttempt } from './lost-attempt.ts';
import { showStatus } from './search-attributes.ts';

const { checkPrivateEndpoint } = proxyActivities<ValidationActivities>(CHECKS_OPTIONS);
const { endValidation } = proxyActivities<ValidationActivities>(DATABASE_OPTIONS);

/**
 * Checks a private endpoint and stores the result with the configuration that was tested.
 *
 * A crash loses no result: before each check, the validation's row already records the check as failed. When a worker
 * dies, no call is repeated; the run ends the row as it is. A result is stored once, and an activity that comes too
 * late changes nothing. If a run is lost altogether, its row counts as failed ten seconds after the longest duration of
 * a run.
 */
export async function validatePrivateEndpoint({
  validationId,
}: ValidatePrivateEndpointInput): Promise<{ passed: boolean }> {
  setCurrentDetails('Checks the endpoint.');
  try {
    return shown(await checkPrivateEndpoint(validationId));
  } catch (error) {
    const passed = await CancellationScope.nonCancellable(() =>
      endValidation(validationId, isLostAttempt(error)),
    );
    if (isCancellation(error)) throw error;
    return shown(passed);
  }
}

function shown(passed: boolean): { passed: boolean } {
  showStatus(passed ? 'passed' : 'failed');
  setCurrentDetails(passed ? 'All checks passed.' : 'A check failed; the endpoint shows which.');
  return { passed };
}
