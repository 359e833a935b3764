/** Resolves names of models, stated ones and those that follow from them, such as `-latest`. */

/** A model with everything that its names follow from. */
export interface NamedModel {
  id: string;
  canonicalSlug: string;
  aliases: readonly string[];
  createdAt: Date;
  /** The names of the model at its providers. */
  upstreamModelIds: readonly string[];
  /** Derived names prefer the models with the highest rank. */
  rank: number;
}

/**
 * Returns the id of the model for each name. Stated names win: an id over a canonical slug, and a slug over an alias.
 * Derived names follow, from those that change least: short names, dated names, and `-latest`. A derived name that
 * several models share names none of them, and no later rule gives it to one.
 */
export function resolveNames(models: readonly NamedModel[]): Map<string, string> {
  const resolved = new Map<string, string>();
  for (const { aliases, id } of models) for (const alias of aliases) resolved.set(alias, id);
  for (const { canonicalSlug, id } of models) resolved.set(canonicalSlug, id);
  for (const { id } of models) resolved.set(id, id);
  const derived = models.map(deriveNames);
  const ambiguous = new Set<string>();
  for (const [rule, choose] of RULES) {
    for (const [name, claimants] of claimsOf(derived, rule)) {
      if (resolved.has(name) || ambiguous.has(name)) continue;
      const chosen = choose(preferred(claimants), name);
      if (chosen === undefined) ambiguous.add(name);
      else resolved.set(name, chosen.id);
    }
  }
  return resolved;
}

/** The derived names of a model, by the rule from which they follow. */
interface DerivedNames {
  model: NamedModel;
  /** Without the author, and as vendors call the model, with and without the author. */
  short: ReadonlySet<string>;
  /** Without a date, and with the model's date in both spellings. */
  dated: ReadonlySet<string>;
  /** `-latest` of each name, with and without its version. */
  latest: ReadonlySet<string>;
}

type Rule = 'short' | 'dated' | 'latest';
type Choose = (claimants: readonly NamedModel[], name: string) => NamedModel | undefined;

const RULES: readonly (readonly [Rule, Choose])[] = [
  ['short', theStating],
  ['dated', theOnly],
  ['latest', theNewest],
];

function claimsOf(derived: readonly DerivedNames[], rule: Rule): Map<string, NamedModel[]> {
  const claims = new Map<string, NamedModel[]>();
  for (const names of derived) {
    for (const name of names[rule]) {
      const claimants = claims.get(name);
      if (claimants === undefined) claims.set(name, [names.model]);
      else claimants.push(names.model);
    }
  }
  return claims;
}

function preferred(claimants: readonly NamedModel[]): readonly NamedModel[] {
  if (claimants.length === 1) return claimants;
  const highest = Math.max(...claimants.map(({ rank }) => rank));
  return claimants.filter(({ rank }) => rank === highest);
}

function theOnly(claimants: readonly NamedModel[]): NamedModel | undefined {
  return claimants.length === 1 ? claimants[0] : undefined;
}

/** Returns the only model, or the only one that states the name with its author: vendors may share a name. */
function theStating(claimants: readonly NamedModel[], name: string): NamedModel | undefined {
  if (claimants.length === 1) return claimants[0];
  return theOnly(claimants.filter((model) => statedNames(model).some((one) => withoutAuthor(one) === name)));
}

/** Returns the model that was released last. A name without an author must not change its author one day. */
function theNewest(claimants: readonly NamedModel[], name: string): NamedModel | undefined {
  if (claimants.length === 1) return claimants[0];
  if (!name.includes('/') && new Set(claimants.map(authorOf)).size > 1) return undefined;
  const newest = Math.max(...claimants.map(({ createdAt }) => createdAt.getTime()));
  return theOnly(claimants.filter(({ createdAt }) => createdAt.getTime() === newest));
}

const NO_NAMES: ReadonlySet<string> = new Set();

function deriveNames(model: NamedModel): DerivedNames {
  const stated = statedNames(model);
  const withoutAuthors = stated.map(withoutAuthor);
  // A variant has the same name at its provider as its model.
  if (model.id.includes(':')) {
    return { model, short: new Set(withoutAuthors), dated: NO_NAMES, latest: NO_NAMES };
  }
  const author = authorOf(model);
  const ofVendors = model.upstreamModelIds;
  const withAuthor = ofVendors.filter((name) => !name.includes('/')).map((name) => `${author}/${name}`);
  const short = new Set([...withoutAuthors, ...ofVendors, ...withAuthor]);
  const dates = new Set<string>();
  const undated = new Set<string>();
  for (const name of [...stated, ...short]) {
    const date = DATE.exec(name);
    if (date !== null) dates.add(date[1]!.replaceAll('-', ''));
    undated.add(date === null ? name : name.slice(0, date.index));
  }
  return { model, short, dated: datedNames(undated, dates), latest: latestNames(undated) };
}

function statedNames({ id, canonicalSlug, aliases }: NamedModel): string[] {
  return [id, canonicalSlug, ...aliases];
}

/** Returns the names without a date. If the model has one date, returns them with that date too. */
function datedNames(undated: ReadonlySet<string>, [date, ...others]: Iterable<string>): ReadonlySet<string> {
  if (date === undefined || others.length > 0) return undated;
  const spelled = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const names = new Set(undated);
  for (const name of undated) names.add(`${name}-${date}`).add(`${name}-${spelled}`);
  return names;
}

function latestNames(undated: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of undated) names.add(`${name}-latest`).add(`${withoutVersion(name)}-latest`);
  return names;
}

/** Matches a date at the end of a name, such as `-2025-11-13`, `-20251113` or `@20251113`. */
const DATE = /[-@]((?:19|20)\d{2}-?\d{2}-?\d{2})$/;

/** Matches a word of a name that is a version, such as `5.5` or `v3`. */
const VERSION = /^v?\d+(?:\.\d+)*$/;

/** Removes the numbers between hyphens: `claude-opus-5.5` becomes `claude-opus`, `gpt-5-mini` becomes `gpt-mini`. */
function withoutVersion(name: string): string {
  const start = name.lastIndexOf('/') + 1;
  const words = name.slice(start).split('-');
  const family = words.filter((word) => !VERSION.test(word)).join('-');
  return family === '' ? name : name.slice(0, start) + family;
}

function withoutAuthor(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function authorOf({ id }: NamedModel): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}
