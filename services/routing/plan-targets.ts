/** Decides which endpoints a request may run on, and in which order they are tried. */
import type { LiveCapability } from '../../domain/catalog/catalog.ts';
import type { TokenPrices } from '../../domain/catalog/token-pricing.ts';
import { AppError, invalidRequest, type Issue } from '../../domain/errors.ts';
import { NOT_PARAMETERS } from '../../domain/gateway-fields.ts';
import {
  chooseTargets,
  type RoutingFacts,
  type RoutingPreferences,
  type Target,
} from '../../domain/routing/routing.ts';
import type { ProviderSort } from '../../domain/accounts/workspace.ts';
import type { OwnCaller } from '../endpoints/own-rights.ts';
import type { OwnView } from '../endpoints/own-view.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { EndpointHealthBoard } from './endpoint-health.ts';
import { readModelVariant } from '../catalog/model-variant.ts';
import { servedElsewhere, modelWithoutCredential, unknownModel } from '../catalog/unreachable-model.ts';
import { refuseUnsupported } from './refuse-unsupported.ts';
import type { RoutableBody, RoutingDefaults } from './routable-body.ts';
import { type ModelSorts, toPreferences } from './routing-preferences.ts';

export interface RoutingDeps {
  catalog: Pick<Catalog, 'findLiveModel' | 'findKnownModel' | 'knownModels' | 'providerName'>;
  health: EndpointHealthBoard;
}

/**
 * The private endpoints and own keys of the caller's workspace, and the caller, because some credentials serve only
 * some callers.
 */
export interface OwnSide {
  view: OwnView;
  caller: OwnCaller;
}

/** Decides what a target supports of one request, and estimates what the request costs there. */
export interface EndpointJudge {
  /** Returns the issues of the request at a target. A target with issues is not tried. */
  issuesAt?: ((target: Target) => Issue[]) | undefined;
  /** Returns the estimated cost at a target without issues, or another number by which prices are compared. */
  costAt?(target: Target): bigint;
  /** Returns the highest prices that the request can reach at a target, where its prices have conditions. */
  highestPricesAt?(target: Target): TokenPrices;
}

type IssuesAt = NonNullable<EndpointJudge['issuesAt']>;

/**
 * Returns the targets to try, best first. Throws 404 when there are none, and a 400 with the issues when every target
 * has issues. `own` is null when the workspace has no private endpoints and no own keys.
 */
export function planTargets(
  deps: RoutingDeps,
  capability: LiveCapability,
  body: RoutableBody,
  defaults: RoutingDefaults,
  { issuesAt, costAt, highestPricesAt }: EndpointJudge = {},
  own: OwnSide | null = null,
): [Target, ...Target[]] {
  refuseUnsupported(body, defaults);
  const requested = namesOf(capability, body, defaults);
  const { named, sorts } = candidatesOf(deps, capability, requested, own);
  const preferences = toPreferences(body.provider, defaults.defaultProviderSort, body.route, sorts);
  const facts: RoutingFacts = {
    preferences,
    parameters: preferences.requireParameters ? parametersOf(body) : [],
    region: null,
    providerName: deps.catalog.providerName,
    health: deps.health.of,
    ...(highestPricesAt && { highestPricesAt }),
    triesUnmeasured: isByMeasure(preferences) && deps.health.isTrial(),
  };
  const able =
    issuesAt === undefined
      ? named
      : named.map((targets) => targets.filter((target) => issuesAt(target).length === 0));
  const chosen = chooseTargets(able, costAt === undefined ? facts : { ...facts, costAt });
  const [first, ...others] = own === null ? chosen : limitCredentials(chosen);
  if (first === undefined) throw noTarget(requested.names, named, facts, issuesAt);
  return [first, ...others];
}

/** The largest number of credentials of one vendor that a request tries. */
const MAX_CREDENTIALS_OF_VENDOR = 8;

function limitCredentials(targets: Target[]): Target[] {
  const tried = new Map<string, Set<string>>();
  return targets.filter(({ own }) => {
    const { providerSlug, credential = null } = own?.connection ?? {};
    if (providerSlug === undefined || credential === null) return true;
    const ofVendor = tried.get(providerSlug) ?? new Set();
    tried.set(providerSlug, ofVendor);
    if (ofVendor.size < MAX_CREDENTIALS_OF_VENDOR) ofVendor.add(credential.id);
    return ofVendor.has(credential.id);
  });
}

/** Returns whether endpoints are sorted by measurements. If so, occasional trials must measure new endpoints. */
function isByMeasure({ sort, modelSorts }: RoutingPreferences): boolean {
  const isMeasured = (by: ProviderSort | null) => by === 'throughput' || by === 'latency';
  return isMeasured(sort) || (modelSorts !== undefined && [...modelSorts.values()].some(isMeasured));
}

/** The models that a request names, and the field that names them. */
interface RequestedModels {
  names: string[];
  path: string;
  /** The workspace's setting that names the model, when the request does not. */
  setting?: 'default_image_model' | 'default_text_model';
}

function namesOf(
  capability: LiveCapability,
  { model, models }: RoutableBody,
  { defaultTextModel, defaultImageModel }: RoutingDefaults,
): RequestedModels {
  const names = [...(model ? [model] : []), ...(models ?? [])];
  if (names.length > 0) return { names, path: names.length > 1 ? 'body.models' : 'body.model' };
  const isImage = capability === 'image';
  const name = isImage ? defaultImageModel : defaultTextModel;
  if (name === null) throw invalidRequest({ path: 'body.model', message: 'is required' });
  const setting = isImage ? 'default_image_model' : 'default_text_model';
  return { names: [name], path: 'body.model', setting };
}

/**
 * Returns the targets of each named model, and the sorting that the names request. The customer's own targets come
 * before the shared ones.
 */
function candidatesOf(
  deps: RoutingDeps,
  capability: LiveCapability,
  requested: RequestedModels,
  own: OwnSide | null,
): { named: Target[][]; sorts: ModelSorts } {
  const candidates = new Map<string, Target[]>();
  let sorts: Map<string, ProviderSort> | undefined;
  for (const name of requested.names) {
    const { id, targets, sort } = findTargets(deps, capability, name, own, requested);
    // The first name of a model decides its sorting.
    if (sort !== undefined && !candidates.has(id)) (sorts ??= new Map()).set(id, sort);
    candidates.set(id, targets);
  }
  return { named: [...candidates.values()], sorts };
}

/**
 * Returns the targets of a name, or of the name without a sorting suffix. Throws 404 when there are none, and 400 for
 * an invalid suffix.
 */
function findTargets(
  deps: RoutingDeps,
  capability: LiveCapability,
  name: string,
  own: OwnSide | null,
  requested: RequestedModels,
): { id: string; targets: Target[]; sort?: ProviderSort } {
  const { catalog } = deps;
  const found = targetsOf(deps, capability, name, own);
  if (found.targets.length > 0) return found;
  const variant = catalog.findKnownModel(name) === undefined ? readModelVariant(name, requested.path) : null;
  if (variant === null) throw unreachable(deps, capability, name, own, requested);
  const { model, sort } = variant;
  const sorted = targetsOf(deps, capability, model, own);
  if (sorted.targets.length === 0) throw unreachable(deps, capability, model, own, requested);
  return { ...sorted, sort };
}

function targetsOf(
  { catalog }: RoutingDeps,
  capability: LiveCapability,
  name: string,
  own: OwnSide | null,
): { id: string; targets: Target[] } {
  const model = catalog.findLiveModel(name, capability);
  const shared = model === undefined ? [] : model.endpoints.map((endpoint) => ({ model, endpoint }));
  const known = own === null ? undefined : catalog.findKnownModel(name);
  if (own === null || known === undefined) return { id: model?.id ?? name, targets: shared };
  const { view, caller } = own;
  const ownTargets = view.targets(known, capability, caller);
  return {
    id: known.id,
    targets: view.allowsShared(known, caller, { model: known, capability })
      ? [...ownTargets, ...shared]
      : ownTargets,
  };
}

/**
 * Returns the 400 of the target with the fewest issues. Prefers targets that the caller's preferences admit. Returns
 * 404 when no target has an issue.
 */
function noTarget(
  names: string[],
  candidates: Target[][],
  facts: RoutingFacts,
  issuesAt: IssuesAt = () => [],
): AppError {
  const admitted = chooseTargets(candidates, facts);
  const lists = (admitted.length > 0 ? admitted : candidates.flat()).map(issuesAt);
  const [fewest = []] = lists.toSorted((a, b) => a.length - b.length);
  if (fewest.length === 0) {
    const publicMessage = `No endpoint of ${names.join(', ')} fits the preferences in provider`;
    return new AppError('not_found', { reason: 'no_matching_endpoint', publicMessage });
  }
  return invalidRequest(...fewest);
}

/** Returns the 404 for a model that another operation serves, that has no credential here, or that is unknown. */
function unreachable(
  deps: RoutingDeps,
  capability: LiveCapability,
  name: string,
  own: OwnSide | null,
  { path, setting }: RequestedModels,
): AppError {
  const { catalog } = deps;
  const called = setting === undefined ? name : `${name}, the ${setting} of the workspace,`;
  const elsewhere = servedElsewhere(catalog, name, capability, path, called);
  if (elsewhere !== null) return elsewhere;
  const known = catalog
    .findKnownModel(name)
    ?.endpoints.some((endpoint) => endpoint.capability === capability);
  if (known === true && catalog.findLiveModel(name, capability) === undefined) {
    return modelWithoutCredential(called, path);
  }
  const isReachable = (id: string): boolean => targetsOf(deps, capability, id, own).targets.length > 0;
  return unknownModel(name, catalog.knownModels(), { path, called, isReachable });
}

function parametersOf(body: RoutableBody): string[] {
  return Object.keys(body).filter(
    (name) => !NOT_PARAMETERS.has(name) && body[name] !== null && body[name] !== undefined,
  );
}
