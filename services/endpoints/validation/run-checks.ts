/** Validates a private endpoint by real calls: answer, stream, usage and declared parameters. */
import type { PrivateEndpoint } from '../../../domain/endpoints/private-endpoint.ts';
import { namesSameModel } from '../../../domain/endpoints/model-name.ts';
import type { Check, CheckName } from '../../../domain/endpoints/validation.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import { type CheckFailure, failureOf, isAddressRefusal, streamFailureOf } from './check-failure.ts';
import { findTarget, type Target, type TargetDeps } from './find-target.ts';
import { valuesOf } from './parameter-values.ts';
import { type Answered, type CallOptions, upstreamCalls } from './upstream-calls.ts';

export interface CheckRun {
  endpoint: PrivateEndpoint;
  workspaceId: string;
  options: CallOptions;
  /** Called before each check with the result that holds if the process dies during that check. */
  note(checks: Check[]): Promise<void>;
}

type Outcome = { answered: Answered } | { error: unknown };

/** Statuses with which upstreams refuse a credential. */
const CREDENTIAL_REFUSALS = new Set([401, 403]);

/** Makes the checks in their order and returns them up to the first failure. It makes no call of the upstream twice. */
export async function runChecks(deps: TargetDeps, run: CheckRun): Promise<Check[]> {
  const { endpoint } = run;
  await run.note([failed('base_url_allowed', { reason: 'interrupted' })]);
  const target = await findTarget(deps, endpoint, run.workspaceId);
  if (Array.isArray(target)) return target;
  const done: Check[] = [passed('base_url_allowed'), passed('credential_ok')];
  const calls = upstreamCalls(endpoint, target.provider, run.options);
  if (calls === undefined) return [...done, failed('model_answers', { reason: 'provider_not_found' })];
  const outcome = (call: Promise<Answered>): Promise<Outcome> => outcomeOf(call, run.options.signal);
  const noteStart = (name: CheckName): Promise<void> =>
    run.note([...done, failed(name, { reason: 'interrupted' })]);

  await noteStart('model_answers');
  const first = await outcome(calls.whole());
  if ('error' in first) return firstFailure(first.error);
  const answers = [first.answered];
  done.push(checkModel(endpoint, target, first.answered.model));
  if (!isPassed(done)) return done;

  if (calls.streamed !== undefined) {
    await noteStart('stream_ok');
    const streamed = await outcome(calls.streamed());
    if ('error' in streamed) return [...done, failed('stream_ok', streamFailureOf(streamed.error))];
    answers.push(streamed.answered);
    done.push(passed('stream_ok'));
  }

  const isCounted = answers.every(({ usage }) => counts(endpoint, usage));
  done.push(isCounted ? passed('usage_reported') : failed('usage_reported', { reason: 'missing_usage' }));
  if (!isCounted || calls.wholeWith === undefined) return done;
  const fields = valuesOf(endpoint.declaredParameters ?? []);
  if (Object.keys(fields).length === 0) return [...done, passed('parameters_ok')];
  await noteStart('parameters_ok');
  const withParameters = await outcome(calls.wholeWith(fields));
  return [
    ...done,
    'error' in withParameters
      ? failed('parameters_ok', failureOf(withParameters.error))
      : passed('parameters_ok'),
  ];
}

/** Returns the checks for a failed first call. A refused address and a refused credential fail checks of their own. */
function firstFailure(error: unknown): Check[] {
  const failure = failureOf(error);
  if (isAddressRefusal(error)) return [failed('base_url_allowed', { reason: 'invalid_base_url' })];
  const allowed = passed('base_url_allowed');
  if (refusesCredential(error)) return [allowed, failed('credential_ok', failure)];
  return [allowed, passed('credential_ok'), failed('model_answers', failure)];
}

/** Returns whether the upstream refuses the credential, or its vendor gives no token for it. */
function refusesCredential(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false;
  const { code, sent, status } = error;
  return status === undefined ? code === 'unauthorized' && !sent : CREDENTIAL_REFUSALS.has(status);
}

function checkModel({ upstreamModelId }: PrivateEndpoint, target: Target, model: unknown): Check {
  if (model === undefined || model === null) return passed('model_answers');
  if (typeof model !== 'string') return failed('model_answers', { reason: 'invalid_response' });
  const actualModel = target.scrub(model);
  // A request to Azure names a deployment, and the answer names the model behind it.
  if (target.adapter === 'azure') return { ...passed('model_answers'), actualModel };
  if (namesSameModel(upstreamModelId, model)) return passed('model_answers');
  return failed('model_answers', { reason: 'model_mismatch', actualModel });
}

function counts({ capability }: PrivateEndpoint, usage: Answered['usage']): boolean {
  if (usage === null || usage.prompt_tokens <= 0) return false;
  return capability === 'embeddings' || (usage.completion_tokens ?? 0) > 0;
}

/**
 * Returns the outcome of a call. Throws when the process stops, because a call that was cut off shows nothing about the
 * upstream.
 */
async function outcomeOf(call: Promise<Answered>, stopping: AbortSignal): Promise<Outcome> {
  try {
    return { answered: await call };
  } catch (error) {
    if (stopping.aborted) throw error;
    return { error };
  }
}

function passed(name: CheckName): Check {
  return { name, passed: true };
}

function failed(name: CheckName, failure: CheckFailure): Check {
  return { name, passed: false, ...failure };
}

function isPassed(checks: readonly Check[]): boolean {
  return checks.every((check) => check.passed);
}
