import type { LiveCapability, LiveEndpoint, LiveModel } from '../../domain/catalog.ts';
import { AppError, invalidRequest, type Issue } from '../../domain/errors.ts';
import { NOT_PARAMETERS } from '../../domain/gateway-fields.ts';
import type { Nanos } from '../../domain/money.ts';
import { chooseTargets, type RoutingFacts, type Target } from '../../domain/routing.ts';
import type { ProviderSort } from '../../domain/workspace.ts';
import type { Catalog } from '../routing/catalog.ts';
import type { EndpointHealthBoard } from '../routing/endpoint-health.ts';
import { refuseWhatIsNotRun } from './refuse-what-is-not-run.ts';
import type { RoutableBody, RoutingDefaults } from './routable-body.ts';
import { toPreferences } from './routing-preferences.ts';

export interface RoutingDeps {
  catalog: Pick<Catalog, 'findLiveModel' | 'providerName'>;
  health: EndpointHealthBoard;
}

/** What an operation can say of an endpoint for the request at hand. */
export interface EndpointJudge {
  /** What it could not do of it: with any such issue it is not tried. */
  issuesAt?(endpoint: LiveEndpoint, model: LiveModel): Issue[];
  /** What it may cost there; asked only of endpoints without issues. */
  costAt?(endpoint: LiveEndpoint): Nanos;
}

type IssuesAt = NonNullable<EndpointJudge['issuesAt']>;

/**
 * The endpoints to try, best first. Throws 400, which names the issues where no endpoint is without, and 404.
 */
export function planTargets(
  deps: RoutingDeps,
  capability: LiveCapability,
  body: RoutableBody,
  defaults: RoutingDefaults,
  { issuesAt, costAt }: EndpointJudge = {},
): [Target, ...Target[]] {
  refuseWhatIsNotRun(body, defaults);
  const named = findModels(deps, capability, namesOf(body, defaults));
  const preferences = toPreferences(body.provider, defaults.defaultProviderSort, body.route);
  const facts: RoutingFacts = {
    preferences,
    parameters: preferences.requireParameters ? parametersOf(body) : [],
    region: null,
    providerName: deps.catalog.providerName,
    health: deps.health.of,
    triesUnmeasured: isByMeasure(preferences.sort) && deps.health.isTrial(),
  };
  const able = issuesAt === undefined ? named : onlyAble(named, issuesAt);
  const [first, ...others] = chooseTargets(able, costAt === undefined ? facts : { ...facts, costAt });
  if (first === undefined) throw noTarget(named, facts, issuesAt);
  return [first, ...others];
}

/** Without a trial now and then, what was never asked would never be measured. */
function isByMeasure(sort: ProviderSort | null): boolean {
  return sort === 'throughput' || sort === 'latency';
}

function namesOf({ model, models }: RoutableBody, { defaultTextModel }: RoutingDefaults): string[] {
  if (models === null || models === undefined || models.length === 0) {
    const name = model ?? defaultTextModel;
    if (name === null) throw invalidRequest({ path: 'body.model', message: 'is required' });
    return [name];
  }
  return model === undefined ? models : [model, ...models];
}

function findModels({ catalog }: RoutingDeps, capability: LiveCapability, names: string[]): LiveModel[] {
  const models = new Set<LiveModel>();
  for (const name of names) {
    const model = catalog.findLiveModel(name, capability);
    if (model === undefined) throw unknownModel(name, names.length > 1);
    models.add(model);
  }
  return [...models];
}

/** The models with those of their endpoints that can do all of it. */
function onlyAble(models: LiveModel[], issuesAt: IssuesAt): LiveModel[] {
  return models.map((model) => ({
    ...model,
    endpoints: model.endpoints.filter((endpoint) => issuesAt(endpoint, model).length === 0),
  }));
}

/** Of the endpoints that the caller would let serve, or of all, what the one that comes nearest cannot do; else 404. */
function noTarget(models: LiveModel[], facts: RoutingFacts, issuesAt: IssuesAt = () => []): AppError {
  const admitted = chooseTargets(models, facts);
  const all = models.flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));
  const lists = (admitted.length > 0 ? admitted : all).map(({ endpoint, model }) =>
    issuesAt(endpoint, model),
  );
  const [fewest = []] = lists.toSorted((a, b) => a.length - b.length);
  if (fewest.length === 0) return new AppError('not_found', { reason: 'no_matching_endpoint' });
  return invalidRequest(...fewest);
}

function unknownModel(name: string, isOneOfSeveral: boolean): AppError {
  const path = isOneOfSeveral ? 'body.models' : 'body.model';
  return new AppError('not_found', {
    reason: 'model_not_found',
    issues: [{ path, message: `${name} is not a model that this deployment can reach` }],
  });
}

function parametersOf(body: RoutableBody): string[] {
  return Object.keys(body).filter(
    (name) => !NOT_PARAMETERS.has(name) && body[name] !== null && body[name] !== undefined,
  );
}
