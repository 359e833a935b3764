/** A longer name is no model's, and every destination would be sent it. */
const MAX_CHARACTERS = 200;

/** Returns the model that an upstream's answer says it ran; null where it names none. */
export function answeringModel(answer: { readonly [name: string]: unknown }): string | null {
  const model = answer['model'];
  if (typeof model !== 'string' || model === '') return null;
  return model.length <= MAX_CHARACTERS ? model : null;
}
