/** Finds a model by a name that a caller gives. */
export type ModelNames<M> = (name: string) => M | undefined;

interface Named {
  id: string;
  canonicalSlug: string;
  aliases: string[];
}

/**
 * Finds models by id, canonical slug or alias; this order decides between models that share a name.
 * `author/alias:variant` names that variant of the aliased model, if there is one.
 */
export function nameModels<M extends Named>(models: readonly M[]): ModelNames<M> {
  const byName = new Map<string, M>();
  for (const model of models) for (const alias of model.aliases) byName.set(alias, model);
  for (const model of models) byName.set(model.canonicalSlug, model);
  for (const model of models) byName.set(model.id, model);
  return (name) => {
    const model = byName.get(name);
    if (model !== undefined) return model;
    const colon = name.lastIndexOf(':');
    const base = colon === -1 ? undefined : byName.get(name.slice(0, colon));
    return base && byName.get(base.id + name.slice(colon));
  };
}
