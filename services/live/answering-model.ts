/**
 * The longest name of a model that is taken from an upstream. The name goes to every destination, so a longer one is
 * dropped.
 */
const MAX_CHARACTERS = 200;

/** Returns the model that an upstream's answer names; null when it names none. */
export function answeringModel(answer: { readonly [name: string]: unknown }): string | null {
  const model = answer['model'];
  if (typeof model !== 'string' || model === '') return null;
  return model.length <= MAX_CHARACTERS ? model : null;
}
